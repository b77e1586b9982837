"""The snapshot in force. Only the wiring asks for it; everything else is passed what it needs."""

from collections.abc import Callable

from tui.settings.errors import SettingsError
from tui.settings.schema import Settings

_installed: list[Settings] = [Settings()]


def current() -> Settings:
    """The snapshot installed last, or the defaults."""
    return _installed[-1]


def install(settings: Settings) -> Callable[[], None]:
    """Put a snapshot in force; returns what takes it back, newest first, to be called once."""
    _installed.append(settings)
    depth = len(_installed)

    def restore() -> None:
        if len(_installed) != depth or _installed[-1] is not settings:
            raise SettingsError("Settings must be restored newest first, each once.")
        _installed.pop()

    return restore
