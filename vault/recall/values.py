"""What recall is asked and what it answers."""

from dataclasses import dataclass

from vault.search.result import Part


@dataclass(frozen=True, slots=True)
class Wish:
    """A question, the question before it, and which pages may be recalled.

    `scope` has the filters of a search: `tag:trip`, `category:lens`, `path:Projects/`, each with a
    minus for pages that may not; any other word is a part of a path. At most `most` pages are read.
    """

    question: str
    before: str = ""
    scope: str = ""
    most: int = 16


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that may belong to the question; `line` counts from 1.

    `texts` are excerpts of it, from the shortest to the longest: without its heading, comments and
    addresses, and around what says most of the question. `parts` say why the page is where it is.
    """

    path: str
    title: str
    date: str
    heading_path: tuple[str, ...]
    anchor: str
    line: int
    texts: tuple[str, ...]
    score: float
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Recalled:
    """The best passages first, the best one of each page before any second one.

    There are none when nothing belongs to the question: `evidence`, from 0 to 1, is then below
    what it takes. `words` are those that were looked for.
    """

    candidates: tuple[Candidate, ...] = ()
    evidence: float = 0.0
    words: tuple[str, ...] = ()
