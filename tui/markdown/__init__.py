"""Markdown as this program draws it: no HTML, wikilinks, nothing opened by itself."""
