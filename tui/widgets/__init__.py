"""Widgets: each draws one thing and posts what the user did with it."""
