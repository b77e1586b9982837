"""Recall: which passages of the wiki belong to a question, and whether any does."""
