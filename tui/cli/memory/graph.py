"""`zib memory graph`: how the pages hang together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tui.cli.memory.opened import EXIT_FAILED, page_called, with_vault
from tui.cli.memory.printed import counted, print_json, print_lines
from tui.cli.run import EXIT_USAGE, print_error
from tui.text.line import to_line
from vault.graph.graph import Graph, Neighbour, WantedPage
from vault.graph.mentions import Mention, unlinked_mentions
from vault.names import displayable
from vault.vault import Vault

Flags = Mapping[str, object]
_BEFORE, _CELLS = 60, 160


@dataclass(frozen=True, slots=True)
class GraphQuestion:
    """One of these is asked; with none, the counts."""

    page: str | None = None
    is_orphans: bool = False
    is_wanted: bool = False
    is_dead_ends: bool = False
    way: tuple[str, str] | None = None

    @property
    def asked(self) -> int:
        """How many are."""
        questions = (self.page, self.is_orphans, self.is_wanted, self.is_dead_ends, self.way)
        return sum(bool(question) for question in questions)


def run_graph(flags: Flags, question: GraphQuestion, is_json: bool) -> int:
    """Answer it; 1 when there is no such page or no way."""
    if question.asked > 1:
        print_error("Give a page or one of --orphans, --wanted, --dead-ends and --way.")
        return EXIT_USAGE

    def answer(vault: Vault) -> int:
        graph = Graph(vault.index)
        if question.page is not None:
            return _page(vault, graph, page_called(vault, question.page), is_json)
        if question.way is not None:
            return _way(vault, graph, question.way, is_json)
        if question.is_wanted:
            return _wanted(graph.wanted(), is_json)
        if question.is_orphans or question.is_dead_ends:
            return _paths(graph.orphans() if question.is_orphans else graph.dead_ends(), is_json)
        return _counts(vault, graph, is_json)

    return with_vault(flags, answer)


def _page(vault: Vault, graph: Graph, path: str, is_json: bool) -> int:
    beside = graph.neighbours(path)
    mentions = unlinked_mentions(vault.index, vault.read, path)
    if is_json:
        print_json(
            {
                "path": displayable(path),
                "neighbours": beside,
                "mentions": mentions,
            }
        )
        return 0
    print_lines(_neighbour_line(each) for each in beside)
    print_lines(_mention_line(each) for each in mentions)
    if not beside:
        print_error("No page links here, and it links to none.")
    if mentions:
        print_error(f"{counted(len(mentions), 'mention')} of it could be links.")
    return 0


def _neighbour_line(each: Neighbour) -> str:
    return f"→ {each.links_to:<3} ← {each.links_from:<3} {to_line(displayable(each.path))}"


def _mention_line(each: Mention) -> str:
    place = f"{to_line(displayable(each.path))}:{each.line}"
    start = max(0, each.context.find(each.text.partition("\n")[0]) - _BEFORE)
    shown = f"{'… ' if start else ''}{each.context[start:]}"
    return f"unlinked {place}: {to_line(shown, _CELLS)}"


def _way(vault: Vault, graph: Graph, ends: tuple[str, str], is_json: bool) -> int:
    start, goal = (page_called(vault, end) for end in ends)
    way = graph.way(start, goal)
    if is_json:
        print_json([displayable(path) for path in way])
    elif way:
        print_lines(to_line(displayable(path)) for path in way)
    else:
        print_error(f"No chain of links leads from {displayable(start)} to {displayable(goal)}.")
    return 0 if way else EXIT_FAILED


def _wanted(wanted: Sequence[WantedPage], is_json: bool) -> int:
    if is_json:
        print_json(wanted)
    else:
        print_lines(_wanted_lines(wanted))
    return 0


def _wanted_lines(wanted: Sequence[WantedPage]) -> Iterator[str]:
    for page in wanted:
        pages = ", ".join(to_line(displayable(path)) for path in page.pages)
        yield f"{page.links:<3} {to_line(displayable(page.name))}  ← {pages}"


def _paths(paths: Sequence[str], is_json: bool) -> int:
    if is_json:
        print_json([displayable(path) for path in paths])
    else:
        print_lines(to_line(displayable(path)) for path in paths)
    return 0


def _counts(vault: Vault, graph: Graph, is_json: bool) -> int:
    counts = vault.index.counts()
    told = {
        "pages": counts.pages,
        "links": counts.links,
        "wanted": len(graph.wanted()),
        "orphans": len(graph.orphans()),
        "dead_ends": len(graph.dead_ends()),
    }
    if is_json:
        print_json(told)
    else:
        print_lines(f"{name.replace('_', ' '):<10}{count:>8,}" for name, count in told.items())
    return 0
