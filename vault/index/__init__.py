"""The search index: derived from the files, kept outside the vault, made anew on any doubt."""
