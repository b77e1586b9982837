"""Sharing the engine of a running app with other programs of the same user."""
