"""The pages around one, drawn in text: who links here above it, where it leads below it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from textual.content import Content

from tui.text.content import literal_line
from tui.widgets.wiki.panel.rows import Filled, OpenPage, Recentre, Row
from vault.graph.graph import Graph, Neighbour
from vault.index.index import Index

MOST_DEPTH = 2
_MOST_SHOWN = 40
_MOST_BELOW = 6


@dataclass(frozen=True, slots=True)
class Around:
    """The neighbours of `path`, and those of each of them where depth two is asked for."""

    path: str
    title: str
    neighbours: tuple[Neighbour, ...]
    further: dict[str, tuple[Neighbour, ...]]


def read_around(index: Index, path: str, title: str, depth: int) -> Around:
    """Ask the index."""
    graph = Graph(index)
    neighbours = graph.neighbours(path)
    further = {}
    if depth == MOST_DEPTH:
        near = {path, *(each.path for each in neighbours)}
        for each in neighbours[: 2 * _MOST_SHOWN]:
            beyond = graph.neighbours(each.path)
            further[each.path] = tuple(other for other in beyond if other.path not in near)
    return Around(path, title, neighbours, further)


def graph_rows(around: Around) -> Filled:
    """Incoming above, the page, outgoing below; what goes both ways is below, with both arrows."""
    incoming = [each for each in around.neighbours if not each.links_to]
    outgoing = [each for each in around.neighbours if each.links_to]
    above = list(_branches(incoming, around, "╭", "◂", lambda each: each.links_from))
    below = list(_branches(outgoing, around, "╰", "▸", lambda each: each.links_to))
    centre = Content.assemble("● ", literal_line(around.title)).stylize("bold $article-title")
    rows = [*above, Row(centre, OpenPage(around.path)), *below]
    if not around.neighbours:
        note = "No links in or out."
        rows.append(Row(Content.styled(note, "$foreground-muted")))
    return Filled(tuple(rows), len(around.neighbours), len(above))


def _branches(
    neighbours: Sequence[Neighbour],
    around: Around,
    end: str,
    arrow: str,
    weight: Callable[[Neighbour], int],
) -> Iterator[Row]:
    """Lines that meet in the page; the outermost one has the rounded corner `end`."""
    shown = sorted(neighbours, key=lambda each: -weight(each))[:_MOST_SHOWN]
    is_above = end == "╭"
    hidden = len(neighbours) - len(shown)
    if hidden and is_above:
        yield _more(f"{end}─ ", hidden)
    for at, each in enumerate(shown):
        is_outermost = not hidden and at == (0 if is_above else len(shown) - 1)
        corner = end if is_outermost else "├"
        head = "⇄" if each.links_to and each.links_from else arrow
        yield _node(f"{corner}─{head} ", each, weight(each))
        stem = " " if is_outermost and not is_above else "│"
        yield from _further(f"{stem}   ", around.further.get(each.path, ()))
    if hidden and not is_above:
        yield _more(f"{end}─ ", hidden)


def _further(stem: str, beyond: Sequence[Neighbour]) -> Iterator[Row]:
    shown = beyond[:_MOST_BELOW]
    for at, each in enumerate(shown):
        corner = "╰" if at == len(shown) - 1 and len(beyond) == len(shown) else "├"
        head = "⇄" if each.links_to and each.links_from else "▸" if each.links_to else "◂"
        yield _node(f"{stem}{corner}{head} ", each, 1)
    if len(beyond) > len(shown):
        yield _more(f"{stem}╰ ", len(beyond) - len(shown))


def _node(lines: str, page: Neighbour, weight: int) -> Row:
    count = Content.styled(f" ×{weight}", "$foreground-muted") if weight > 1 else ""
    drawn = Content.styled(lines, "$foreground-muted")
    name = literal_line(page.title).stylize("$memory-link")
    return Row(Content.assemble(drawn, name, count), Recentre(page.path))


def _more(lines: str, hidden: int) -> Row:
    return Row(Content.styled(f"{lines}… {hidden:,} more", "$foreground-muted"))
