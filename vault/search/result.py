"""What a search finds, and why."""

from dataclasses import dataclass

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a score; `points` are what it adds, `words` what it saw."""

    name: str
    points: float
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a page. `line` counts from 1; `highlights` are places in `snippet`."""

    heading_path: tuple[str, ...]
    anchor: str
    line: int
    snippet: str
    highlights: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that was found, its best passages first. `date` is empty when the page has none."""

    path: str
    title: str
    date: str
    score: float
    parts: tuple[Part, ...]
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A page that links ask for and nobody wrote, or one with a name like the query's.

    `path` is empty for one that does not exist; `links` counts the links to it.
    """

    title: str
    path: str = ""
    links: int = 0


@dataclass(frozen=True, slots=True)
class Results:
    """The best pages, of `total` that were looked at.

    `corrected` maps words that are in no page to those that were looked for instead. `is_loosened`
    says that no page has the phrases asked for, and their words were looked for.
    """

    hits: tuple[Hit, ...] = ()
    total: int = 0
    suggestions: tuple[Suggestion, ...] = ()
    corrected: tuple[tuple[str, tuple[str, ...]], ...] = ()
    is_loosened: bool = False


@dataclass(frozen=True, slots=True)
class NamedPage:
    """A page found by its name; `highlights` are places in `name`."""

    path: str
    name: str
    title: str
    score: float
    highlights: tuple[Span, ...]
