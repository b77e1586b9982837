"""Differences of two texts, drawn."""
