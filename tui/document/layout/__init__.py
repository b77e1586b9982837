"""Blocks as lines: one module for each shape, `lay` for any block."""
