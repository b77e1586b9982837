"""A document on the screen: drawn, scrolled, searched, and its links followed."""
