"""The blocks of a page in a row: what was nested has its bullets and bars in its margin."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tui.document.lines import Margin, Runs
from tui.document.page import FoundPicture, Page
from tui.document.roles import Role, Roles

NO_MARGIN = Margin()
NO_PICTURE = FoundPicture()

Align = Literal["left", "center", "right"]


@dataclass(frozen=True, slots=True)
class HeadingBody:
    """A heading; the group it folds is None inside quotes and lists."""

    level: int
    source: str
    group: int | None


@dataclass(frozen=True, slots=True)
class ProseBody:
    """A paragraph. `task` is the character in its box, `note` the footnote it begins."""

    source: str
    roles: Roles = ()
    task: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class LiteralBody:
    """Text shown as it is written, marks and all."""

    text: str
    roles: Roles = ()


@dataclass(frozen=True, slots=True, eq=False)
class Code:
    """A whole block of code, which may be shown in several pieces.

    `coloured` is filled when its first line is laid out.
    """

    language: str
    text: str
    lines: tuple[str, ...]
    coloured: list[Runs] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class CodeBody:
    """The lines of a block of code from `first` up to and not including `end`."""

    code: Code
    first: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A whole table; every row, the first one being its head, has a cell for every column.

    `natural` and `widths` are filled when its first row is laid out.
    """

    aligns: tuple[Align, ...]
    rows: tuple[tuple[str, ...], ...]
    natural: list[int] = field(default_factory=list)
    widths: dict[int, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TableBody:
    """The rows of a table from `first` up to and not including `end`."""

    table: Table
    first: int
    end: int


@dataclass(frozen=True, slots=True)
class FactsBody:
    """Names and values: the infobox, or the properties of a page, whose text is literal."""

    facts: tuple[tuple[str, str], ...]
    is_literal: bool = False


@dataclass(frozen=True, slots=True)
class CalloutBody:
    """The title line of a callout; it folds `group` when that is not None."""

    kind: str
    title: str
    role: Role
    group: int | None


@dataclass(frozen=True, slots=True)
class PictureBody:
    """A picture that stands alone, `width` pixels wide if the page says so."""

    href: str
    alt: str
    width: int | None = None
    found: FoundPicture = NO_PICTURE


@dataclass(frozen=True, slots=True)
class EmbedBody:
    """The head of a page shown in place; `problem` says why nothing follows."""

    href: str
    title: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class RuleBody:
    """A line across the page."""


Body = (
    HeadingBody
    | ProseBody
    | LiteralBody
    | CodeBody
    | TableBody
    | FactsBody
    | CalloutBody
    | PictureBody
    | EmbedBody
    | RuleBody
)


@dataclass(frozen=True, slots=True)
class Block:
    """A block of `page`, from a line of its file counted from 0, after `gap` blank lines.

    It is hidden while one of its `groups` is folded. `mark` stands before it in copied text.
    """

    body: Body
    page: Page
    line: int
    margin: Margin = NO_MARGIN
    gap: int = 1
    groups: tuple[int, ...] = ()
    mark: str = ""
