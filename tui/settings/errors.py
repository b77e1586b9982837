"""Errors of the settings package."""


class SettingsError(Exception):
    """A setting cannot be read or does not exist; `str()` is a sentence for the user."""
