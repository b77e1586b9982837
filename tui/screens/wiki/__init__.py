"""Screens of the wiki."""
