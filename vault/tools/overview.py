"""memory_links, memory_list and memory_status: what there is, and how it hangs together."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from vault.errors import ToolRefused
from vault.graph.graph import Graph
from vault.links.resolve import page_key
from vault.links.tags import tag_key
from vault.setup import REFERENCE
from vault.tools.asked import Asked
from vault.tools.cutting import fitted, listed
from vault.tools.known_page import KnownPage
from vault.tools.offer import LIST, READ, SEARCH, STATUS

_MOST_OF_A_GROUP = 25
_MOST_TOPICS = 15
_LINE_BYTES = 600


def links(asked: Asked) -> str:
    """The pages around a page."""
    page = asked.page
    beside = [
        (asked.pages.by_path[each.path], each.links_to, each.links_from)
        for each in Graph(asked.vault.index).neighbours(page.path)
        if each.path in asked.pages.by_path
    ]
    groups = {
        "It links to": [(other, count) for other, count, _ in beside if count],
        "Linked from": [(other, count) for other, _, count in beside if count],
    }
    lines = [
        f"{name}: {_group(_counted(asked, other.title, count) for other, count in found)}"
        for name, found in groups.items()
    ]
    wanted = _wanted(asked, page)
    if wanted:
        lines.append(f"It links to pages nobody wrote yet: {_group(wanted)}")
    head = asked.wording.page(page)
    return fitted(head, lines, asked.room, lambda left: "…and more than there is room for.")


def list_pages(asked: Asked) -> str:
    """Titles, a stretch at a time."""
    folder = asked.arguments.text("folder").strip("/")
    found = [
        page
        for page in _of_topic(asked)
        if (page.path.startswith(f"{folder}/") if folder else not asked.is_reference(page.path))
    ]
    start = asked.arguments.number("start")
    if not found:
        raise ToolRefused(f"No page is listed there. {STATUS} names folders, categories and tags.")
    if start > len(found):
        raise ToolRefused(f"The list has only {len(found):,} pages. Use a smaller start.")
    rest = found[start - 1 :]
    head = f"Pages: {len(found):,}{f', from {start:,} on' if start > 1 else ''}"

    def more(left: int) -> str:
        return f"…and {left:,} more: {LIST} with start {len(found) - left + 1}."

    # A line has more than 20 bytes: no more of them than could have room are written out.
    lines = [f"- {asked.wording.page(page)}" for page in rest[: asked.room // 20]]
    unwritten = len(rest) - len(lines)
    return fitted(head, lines, asked.room, lambda left: more(left + unwritten))


def status(asked: Asked) -> str:
    """The whole wiki in a few lines."""
    counts = asked.vault.index.counts()
    mine = [path for path in asked.pages.by_path if not asked.is_reference(path)]
    help_pages = len(asked.pages.by_path) - len(mine)
    if not mine:
        return f"The wiki has no pages yet. {help_pages} help pages are under {REFERENCE}."
    folders = Counter(path.rpartition("/")[0] for path in mine)
    lines = [f"Folders: {_ranked(asked, {key or '(top)': n for key, n in folders.items()})}"]
    # Whoever is to know a part of the wiki learns of no topic outside it.
    topics = () if asked.scope else (("Categories", "category"), ("Tags", "tag"))
    for name, table in topics:
        found = _topics(asked, table)
        if found:
            lines.append(f"{name}: {_ranked(asked, found)}")
    if help_pages:
        lines.append(f"Help pages of the program: {help_pages} under {REFERENCE}.")
    if counts.failed:
        lines.append(f"Pages that could not be read: {len(counts.failed)}.")
    lines.append(f"Look something up with {SEARCH}, read with {READ}.")
    head = f"Pages: {len(mine):,}."
    if not asked.scope:
        head += f" Links: {counts.links:,}. Still to write: {counts.wanted:,}."
    return fitted(head, lines, asked.room, lambda left: "…")


def _counted(asked: Asked, title: str, count: int) -> str:
    name = asked.wording.line(title)
    return f"{name} ({count}×)" if count > 1 else name


def _group(names: Iterable[str]) -> str:
    return listed(list(names), _MOST_OF_A_GROUP, _LINE_BYTES, "; ") or "none"


def _wanted(asked: Asked, page: KnownPage) -> list[str]:
    with asked.vault.index.reading() as connection:
        rows: list[Any] = connection.execute(
            "SELECT DISTINCT target FROM link JOIN page ON page.id = link.page"
            " WHERE page.path = ? AND state = 'wanted' AND target <> '' ORDER BY start",
            (page.path,),
        ).fetchall()
    return [asked.wording.line(target) for (target,) in rows]


def _of_topic(asked: Asked) -> list[KnownPage]:
    """The pages of the category and the tag that were asked for, in the order of their titles."""
    found = list(asked.pages.by_path.values())
    category, tag = asked.arguments.text("category"), asked.arguments.text("tag")
    if category:
        found = _with(asked, found, "category", page_key(category))
    if tag:
        found = _with(asked, found, "tag", tag_key(tag.removeprefix("#")))
    return found


def _with(asked: Asked, pages: list[KnownPage], table: str, key: str) -> list[KnownPage]:
    with asked.vault.index.reading() as connection:
        rows: list[Any] = connection.execute(
            f"SELECT page.path FROM {table} JOIN page ON page.id = {table}.page"
            f" WHERE {table}.key = ?1 OR {table}.key BETWEEN ?1 || '/' AND ?1 || '0'",
            (key,),
        ).fetchall()
    paths = {path for (path,) in rows}
    return [page for page in pages if page.path in paths]


def _topics(asked: Asked, table: str) -> dict[str, int]:
    with asked.vault.index.reading() as connection:
        rows: list[Any] = connection.execute(
            f"SELECT min({table}.text), count(DISTINCT page.id) FROM {table}"
            f" JOIN page ON page.id = {table}.page WHERE NOT is_excluded GROUP BY {table}.key"
        ).fetchall()
    return dict(rows)


def _ranked(asked: Asked, counts: dict[str, int]) -> str:
    best = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    names = [f"{asked.wording.line(name)} {count:,}" for name, count in best]
    return listed(names, _MOST_TOPICS, _LINE_BYTES)
