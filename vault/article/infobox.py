"""The infobox: a fence labelled `info` with one `key: value` a line."""

import re
from dataclasses import dataclass
from enum import Enum, auto

from vault.article.block import Block, BlockKind
from vault.article.blocks import Layout

KINDS = ("thing", "person", "domain", "project", "standard")
_LABEL = "info"
_DATE = re.compile(r"\d{4}-\d{2}(?:-\d{2})?")
_WIKILINK = re.compile(r"\[\[[^\[\]]+\]\]")


class ValueKind(Enum):
    """What the value of a field looks like."""

    SCALAR = auto()
    DATE = auto()
    LINK = auto()
    LIST = auto()


@dataclass(frozen=True, slots=True)
class Field:
    """One line of an infobox, characters `start` to `end`; `value` starts at `value_start`."""

    key: str
    value: str
    start: int
    value_start: int
    end: int

    @property
    def kind(self) -> ValueKind:
        """What the value looks like."""
        if self._separator in self.value:
            return ValueKind.LIST
        if _WIKILINK.search(self.value):
            return ValueKind.LINK
        return ValueKind.DATE if _DATE.fullmatch(self.value) else ValueKind.SCALAR

    @property
    def values(self) -> tuple[str, ...]:
        """The parts of the value: between semicolons, those of `aliases` between commas."""
        parts = (part.strip() for part in self.value.split(self._separator))
        return tuple(part for part in parts if part)

    @property
    def _separator(self) -> str:
        return "," if self.key.casefold() == "aliases" else ";"


@dataclass(frozen=True, slots=True)
class Infobox:
    """An infobox from `start` to `end`, its fence lines included; `inner_end` is its last fence."""

    fields: tuple[Field, ...]
    start: int
    inner_start: int
    inner_end: int
    end: int

    def find(self, key: str) -> Field | None:
        """Return the first field of that name, whatever its case."""
        return next((each for each in self.fields if each.key.casefold() == key.casefold()), None)

    @property
    def kind(self) -> str:
        """What the article is about; `thing` unless the box names another of the known kinds."""
        found = self.find("kind")
        return found.value if found and found.value in KINDS else KINDS[0]

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names of the subject."""
        found = self.find("aliases")
        return found.values if found else ()


def read_infobox(layout: Layout) -> Infobox | None:
    """Read the first top-level fence labelled `info`; None when it is not closed."""
    for block in layout.top_level(BlockKind.FENCE):
        if block.content == _LABEL:
            return _infobox(layout, block) if layout.is_closed(block) else None
    return None


def render_infobox(fields: dict[str, str], line_break: str = "\n") -> str:
    """Write an infobox, its final line break included."""
    lines = [f"```{_LABEL}", *(f"{key}: {value}" for key, value in fields.items()), "```", ""]
    return line_break.join(lines)


def _infobox(layout: Layout, block: Block) -> Infobox:
    start, end = layout.span(block)
    fields = []
    for line in range(block.first + 1, block.end - 1):
        content = layout.lines.content(line)
        key, colon, value = content.partition(":")
        if colon and key.strip():
            value_start = layout.lines.end(line) - len(value.lstrip())
            fields.append(
                Field(
                    key.strip(),
                    value.strip(),
                    layout.lines.start(line),
                    value_start,
                    layout.lines.start(line + 1),
                )
            )
    inner = layout.lines.start(block.first + 1), layout.lines.start(block.end - 1)
    return Infobox(tuple(fields), start, *inner, end)
