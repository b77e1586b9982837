"""One thing the lint found."""

from dataclasses import dataclass
from typing import Literal, get_args

from vault.article.splices import Edit

Kind = Literal[
    "wanted",
    "orphaned",
    "dead-end",
    "ambiguous",
    "dead-anchor",
    "double-redirect",
    "duplicate-title",
    "footnote",
    "structure",
    "oversize",
    "unreadable",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
NOTES: tuple[Kind, ...] = ("wanted", "orphaned", "dead-end")
"""What any wiki that grows has: worth a look, and nothing wrong."""


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits of the page the finding is on, and what they do, in a few words."""

    description: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found where; `line` counts from 1 and is 0 for the whole page."""

    kind: Kind
    path: str
    line: int
    message: str
    fix: Fix | None = None

    @property
    def is_fault(self) -> bool:
        """Whether something is wrong, and not only worth a look."""
        return self.kind not in NOTES
