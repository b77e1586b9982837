"""Pictures of the wiki's own files: what may be decoded, and how a terminal draws it."""
