"""The effective settings as rows of text."""

from typing import NamedTuple

from tui.settings.errors import SettingsError
from tui.settings.keys import Key, all_keys, nearest, sections
from tui.settings.load import Loaded
from tui.settings.schema import Settings
from tui.settings.values import to_toml


class Row(NamedTuple):
    """One key, its value as config.toml would write it, and where it came from."""

    key: str
    value: str
    source: str


def render(loaded: Loaded) -> list[Row]:
    """Every key in the order of the schema."""
    return [
        Row(name, to_toml(value_of(loaded.settings, key)), str(loaded.sources[name]))
        for name, key in all_keys().items()
    ]


def get(loaded: Loaded, name: str) -> str:
    """The value of one key as a script wants it: text without quotes.

    Raises SettingsError for a name that is no key.
    """
    key = all_keys().get(name)
    if key is None:
        raise SettingsError(_no_such_key(name))
    value = value_of(loaded.settings, key)
    return value if isinstance(value, str) else to_toml(value).strip('"')


def value_of(settings: Settings, key: Key) -> object:
    """The value of a key in a snapshot."""
    value: object = settings
    for part in key.path:
        value = getattr(value, part)
    return value


def _no_such_key(name: str) -> str:
    if name in sections():
        inside = ", ".join(known for known in all_keys() if known.startswith(name + "."))
        return f"{name} is a table. Its keys: {inside}."
    return f"There is no setting {name}.{nearest(name, all_keys())} `zib config` lists every key."
