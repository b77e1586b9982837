"""The page a block is of: what reads its inline marks and knows where its links lead."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Protocol

from markdown_it.token import Token

from tui.document.grammar import inline_tokens
from tui.pictures.source import PictureSource


class LinkStatus(Enum):
    """Where a link to a page leads."""

    KNOWN = auto()
    WANTED = auto()
    AMBIGUOUS = auto()


@dataclass(frozen=True, slots=True)
class FoundPage:
    """Another page's path and text."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class FoundPicture:
    """A picture in a few words, and what is drawn of it; None where nothing is."""

    facts: str = ""
    source: PictureSource | None = None


class Library(Protocol):
    """What a page needs of the wiki around it."""

    def status(self, target: str, from_path: str, is_wikilink: bool) -> LinkStatus:
        """Where a link leads; answers at once."""

    def page(self, target: str, from_path: str) -> FoundPage | None:
        """The page a wikilink means, None when there is none to show. May read a file."""

    def picture(self, target: str, from_path: str) -> FoundPicture:
        """What is known of a picture of the wiki. May read a file."""

    def picture_content(self, path: str) -> bytes:
        """The bytes of a picture that `picture` found. Reads a file; raises OSError."""


class NoLibrary:
    """For a text that stands alone: every link counts as known, nothing is embedded."""

    def status(self, target: str, from_path: str, is_wikilink: bool) -> LinkStatus:
        """Known."""
        del target, from_path, is_wikilink
        return LinkStatus.KNOWN

    def page(self, target: str, from_path: str) -> FoundPage | None:
        """None."""
        del target, from_path
        return None

    def picture(self, target: str, from_path: str) -> FoundPicture:
        """Nothing."""
        del target, from_path
        return FoundPicture()

    def picture_content(self, path: str) -> bytes:
        """There is none."""
        raise FileNotFoundError(path)


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """One page's path, its link definitions as the parser keeps them, and the wiki around it."""

    path: str
    library: Library
    definitions: dict[str, Any] = field(default_factory=dict)

    def inline(self, source: str) -> list[Token]:
        """The inline tokens of a paragraph, a heading or a cell."""
        return inline_tokens(source, self.definitions)
