"""The editor of an article: its text, and everything that helps to write it."""
