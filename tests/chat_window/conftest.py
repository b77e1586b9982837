"""The app over the scripted engine, as in the other tests of the window."""

from tests.tui.conftest import make_app, terminal

__all__ = ["make_app", "terminal"]
