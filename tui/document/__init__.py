"""Markdown as a page of lines: read into blocks once, laid out block by block as they are seen."""
