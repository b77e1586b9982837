"""Command line over environment over config.toml over defaults."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import msgspec

from tui.settings.errors import SettingsError
from tui.settings.keys import PREFIX, Key, all_keys, nearest, sections
from tui.settings.schema import Settings
from tui.settings.tomlfile import TomlFile, read_toml
from tui.settings.values import from_text, from_value

# Read by the tests and the benches; nobody mistyped them.
_NOT_SETTINGS = frozenset({"ZIB_HARDEN", "ZIB_CORPORA", "ZIB_TEST_CACHE"})


@dataclass(frozen=True, slots=True)
class Source:
    """Where the value of a key came from; `where` is the variable or the file."""

    kind: Literal["flag", "environment", "file", "default"]
    where: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.where}".rstrip()


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings, the source of each key by its dotted name, and what looked like a mistake."""

    settings: Settings
    sources: Mapping[str, Source]
    warnings: tuple[str, ...] = ()


def load_settings(
    config_file: Path, environ: Mapping[str, str], flags: Mapping[str, object]
) -> Loaded:
    """Read all sources. `flags` maps dotted names to typed values or text; None means not given.

    Raises SettingsError, naming the file and line, the variable or the flag that is wrong.
    """
    values: dict[str, object] = {name: key.default for name, key in all_keys().items()}
    sources = dict.fromkeys(values, Source("default"))
    for found in (_from_file(read_toml(config_file)), _from_environ(environ), _from_flags(flags)):
        for key, value, source in found:
            values[key.name] = value
            sources[key.name] = source
    return Loaded(_assemble(values), MappingProxyType(sources), _warnings(environ))


def _from_file(file: TomlFile) -> Iterator[tuple[Key, object, Source]]:
    source = Source("file", str(file.path))
    for path, value in _flattened(file):
        name = ".".join(path)
        key = all_keys().get(name)
        # A quoted "chat.temperature" is one name with a dot in it, which is no key of ours.
        if key is None or key.path != path:
            raise SettingsError(_unknown(file.place(path), name))
        try:
            yield key, from_value(key, value), source
        except ValueError as error:
            raise SettingsError(_wrong(file.place(path), key.name, error, value)) from error


def _flattened(file: TomlFile) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, value in file.values.items():
        if name not in sections():
            yield (name,), value
        elif isinstance(value, dict):
            yield from (((name, inner), item) for inner, item in value.items())
        else:
            raise SettingsError(
                f"{file.place((name,))}: {name} is a table. Write [{name}] on a line of its own"
                " and its keys below."
            )


def _from_environ(environ: Mapping[str, str]) -> Iterator[tuple[Key, object, Source]]:
    for key in all_keys().values():
        text = environ.get(key.variable, "") if key.variable else ""
        if key.variable is None or not (text.strip() if key.reading == "path" else text):
            continue
        try:
            yield key, from_text(key, text), Source("environment", key.variable)
        except ValueError as error:
            raise SettingsError(_wrong("environment", key.variable, error, text)) from error


def _from_flags(flags: Mapping[str, object]) -> Iterator[tuple[Key, object, Source]]:
    for name, value in flags.items():
        if value is None:
            continue
        key = all_keys().get(name)
        if key is None:
            raise SettingsError(_unknown("command line", name))
        try:
            typed = isinstance(value, str) and not key.is_table
            yield (
                key,
                from_text(key, str(value)) if typed else from_value(key, value),
                Source("flag"),
            )
        except ValueError as error:
            raise SettingsError(_wrong("command line", name, error, value)) from error


def _unknown(place: str, name: str) -> str:
    hint = nearest(name, all_keys()) or " `zib config` lists every key."
    return f"{place}: unknown key {name if name.isprintable() else repr(name)}.{hint}"


def _wrong(place: str, name: str, error: ValueError, value: object) -> str:
    shown = repr(value)
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    return f"{place}: {name} must be {error}; it is {shown}."


def _assemble(values: Mapping[str, object]) -> Settings:
    top: dict[str, Any] = {}
    for field in msgspec.structs.fields(Settings):
        if field.name in sections():
            prefix = field.name + "."
            inner = {n.removeprefix(prefix): v for n, v in values.items() if n.startswith(prefix)}
            top[field.name] = field.type(**inner)
        else:
            top[field.name] = values[field.name]
    return Settings(**top)


def _warnings(environ: Mapping[str, str]) -> tuple[str, ...]:
    variables = {key.variable: key for key in all_keys().values() if key.variable}
    known = variables.keys() | _NOT_SETTINGS
    unknown = (name for name in sorted(environ) if name.startswith(PREFIX) and name not in known)
    found = [f"{name} is set but is no setting.{nearest(name, variables)}" for name in unknown]
    for variable, key in variables.items():
        if key.reading == "permission" and environ.get(variable, "") not in {"", "0", "1"}:
            found.append(f"{variable} allows nothing: only 1 does, not {environ[variable]!r}.")
    return tuple(found)
