"""The lines of the panel's lists, and what choosing one does. Pure values."""

from __future__ import annotations

from dataclasses import dataclass

from textual.content import Content

from vault.graph.mentions import Mention


@dataclass(frozen=True, slots=True)
class OpenPage:
    """Open a page at a line; lines count from 1, 0 is its beginning."""

    path: str
    line: int = 0
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class GoToHeading:
    """Show a heading of the open article."""

    anchor: str


@dataclass(frozen=True, slots=True)
class FollowLink:
    """Do what the link does: a page that is wanted can be made."""

    target: str
    is_wikilink: bool


@dataclass(frozen=True, slots=True)
class OfferAddress:
    """A link that leads out of the program."""

    address: str


@dataclass(frozen=True, slots=True)
class Recentre:
    """Draw the graph around another page."""

    path: str


Goal = OpenPage | GoToHeading | FollowLink | OfferAddress | Recentre


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a list; one without a goal is a title, which is passed over."""

    text: Content
    goal: Goal | None = None
    mention: Mention | None = None


@dataclass(frozen=True, slots=True)
class Filled:
    """What a tab shows: its rows, how many things they are, and where the cursor begins."""

    rows: tuple[Row, ...]
    count: int | None = None
    cursor: int = 0


def said(sentence: str) -> Filled:
    """A tab that has nothing but something to say."""
    return Filled((Row(Content.styled(sentence, "$foreground-muted")),), 0)
