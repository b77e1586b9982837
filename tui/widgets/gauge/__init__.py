"""The memory gauge."""
