"""Reads an article by its grammar and edits it by splices that leave every other byte alone."""
