"""The window over the scripted engine, as the other windows are tested."""

from tests.tui.conftest import make_app, terminal

__all__ = ["make_app", "terminal"]
