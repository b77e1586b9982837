"""Edits that somebody proposes and the user decides on."""
