"""Proposed edits, looked at and decided on."""
