"""What the switcher offers, and each offer as one line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content

from tui.text.line import to_line
from tui.text.marked import between, marked_line
from tui.text.width import elide
from vault.errors import NotAllowed
from vault.listing import Note
from vault.names import displayable, stem_for
from vault.search.jump import fold
from vault.search.result import NamedPage, Span

_MUTED = "$foreground-muted"
_COLUMNS_WITH_FOLDER = 34


@dataclass(frozen=True, slots=True)
class PageOffer:
    """A page to jump to, by the name that was found; `other` is its title where that is another."""

    path: str
    name: str
    spans: tuple[Span, ...] = ()
    other: str = ""


@dataclass(frozen=True, slots=True)
class NewPageOffer:
    """A page to write; `problem` says why it cannot be."""

    title: str
    problem: str = ""


Offer = PageOffer | NewPageOffer
MOST_OFFERS = 100


def offers_of(named: Iterable[NamedPage], typed: str, keeps_spaces: bool) -> tuple[Offer, ...]:
    """The pages that were found, and a new one when none is called what was typed."""
    pages = [PageOffer(each.path, each.name, each.highlights, other_title(each)) for each in named]
    title = " ".join(typed.split())
    is_taken = any(fold(page.name) == fold(title) for page in pages)
    if is_taken or not title:
        return tuple(pages)
    return (*pages, NewPageOffer(title, _problem(title, keeps_spaces)))


def other_title(named: NamedPage) -> str:
    """The title of a page that was found by another of its names."""
    return "" if named.name == named.title.replace("_", " ") else named.title


def recent_offers(notes: Iterable[Note]) -> tuple[Offer, ...]:
    """Pages one may want to go back to."""
    return tuple(PageOffer(note.path, note.title) for note in notes)


def offer_text(offer: Offer, width: int, is_lit: bool) -> Content:
    """One line: the name with the letters that were found, its folder on the right."""
    muted = "" if is_lit else _MUTED
    if isinstance(offer, NewPageOffer):
        return _new_page(offer, width, muted)
    name = marked_line(offer.name, offer.spans)
    if offer.other:
        other = Content(f"  → {to_line(offer.other)}").stylize(muted)
        name = Content.assemble(name, other)
    folder = displayable(offer.path).rpartition("/")[0]
    right = Content("")
    if folder and width >= _COLUMNS_WITH_FOLDER:
        right = Content(short_folder(to_line(folder), max(8, width // 3))).stylize(muted)
    return between(name, right, width)


def short_folder(folder: str, cells: int) -> str:
    """The folder, or the last ones of its way, at most so wide."""
    if cell_len(folder) <= cells:
        return folder
    parts = folder.split("/")
    for first in range(1, len(parts)):
        shown = "…/" + "/".join(parts[first:])
        if cell_len(shown) <= cells:
            return shown
    return elide(f"…/{parts[-1]}", cells)


def _new_page(offer: NewPageOffer, width: int, muted: str) -> Content:
    left = Content.assemble("+ Create “", to_line(offer.title), "”")
    if offer.problem:
        return Content(to_line(offer.problem, width)).stylize(muted)
    return between(left, Content("new page").stylize(muted), width)


def _problem(title: str, keeps_spaces: bool) -> str:
    try:
        stem_for(title, keeps_spaces=keeps_spaces)
    except NotAllowed as error:
        return str(error)
    return ""


def count_words(offers: Sequence[Offer], total: int, typed: str) -> str:
    """How many there are, for the frame."""
    if not typed.strip():
        return f"{total:,} pages"
    pages = sum(isinstance(offer, PageOffer) for offer in offers)
    return f"{'best ' if pages == MOST_OFFERS else ''}{pages:,} of {total:,} pages"
