"""The schema as a flat list of keys."""

import difflib
import functools
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec
from msgspec import Meta, Struct

from tui.settings.schema import Reading, Settings

PREFIX = "ZIB_"


@dataclass(frozen=True, slots=True)
class Key:
    """One setting. `kind` is its bare type, without None and without bounds."""

    path: tuple[str, ...]
    annotation: typing.Any
    kind: typing.Any
    meta: Meta
    is_optional: bool
    default: object
    owner: type[Struct]

    @property
    def name(self) -> str:
        """The dotted name, as in `chat.temperature`."""
        return ".".join(self.path)

    @property
    def is_table(self) -> bool:
        """Whether the value is a table of the user's own names."""
        return typing.get_origin(self.kind) is Mapping

    @property
    def is_list(self) -> bool:
        """Whether the value is a list of texts."""
        return typing.get_origin(self.kind) is tuple

    @property
    def variable(self) -> str | None:
        """The environment variable; a table has none."""
        return None if self.is_table else PREFIX + "_".join(self.path).upper()

    @property
    def reading(self) -> Reading:
        """How its value is read."""
        reading: Reading = (self.meta.extra or {}).get("reading", "plain")
        return reading


@functools.cache
def all_keys() -> Mapping[str, Key]:
    """Every key by its dotted name, in the order of the schema."""
    return types.MappingProxyType({key.name: key for key in _walk(Settings, ())})


@functools.cache
def sections() -> frozenset[str]:
    """The names of the tables that hold keys."""
    return frozenset(key.path[0] for key in all_keys().values() if len(key.path) > 1)


def nearest(name: str, known: typing.Iterable[str]) -> str:
    """A sentence that offers the likeliest known name, or none."""
    candidates = list(known)
    longer = [candidate for candidate in candidates if name and candidate.startswith(name)]
    found = longer or difflib.get_close_matches(name, candidates, n=1, cutoff=0.6)
    return f" Did you mean {found[0]}?" if found else ""


def _walk(struct: type[Struct], above: tuple[str, ...]) -> Iterator[Key]:
    for item in msgspec.structs.fields(struct):
        path = (*above, item.name)
        if isinstance(item.type, type) and issubclass(item.type, Struct):
            yield from _walk(item.type, path)
            continue
        bare, is_optional = _without_none(item.type)
        kind, meta = _without_bounds(bare)
        default = item.default if item.default is not msgspec.NODEFAULT else item.default_factory()
        yield Key(path, item.type, kind, meta, is_optional, default, struct)


def _without_none(annotation: typing.Any) -> tuple[typing.Any, bool]:
    members = typing.get_args(annotation)
    if type(None) not in members:
        return annotation, False
    return next(member for member in members if member is not type(None)), True


def _without_bounds(annotation: typing.Any) -> tuple[typing.Any, Meta]:
    if typing.get_origin(annotation) is typing.Annotated:
        kind, meta = typing.get_args(annotation)
        return kind, meta
    return annotation, Meta()
