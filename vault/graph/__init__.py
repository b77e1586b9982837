"""How the pages of a wiki hang together, asked of the index."""
