"""memory_search: passages of pages that say something, each with its place and date."""

from collections.abc import Iterator

from vault.search.result import Hit, Results
from vault.setup import REFERENCE
from vault.tools.asked import Asked
from vault.tools.cutting import clipped, fitted
from vault.tools.offer import LIST, READ, SECTION

_LONGEST_SNIPPET = 400
_REMARKS_BYTES = 500


def search(asked: Asked) -> str:
    """The best pages, those of the program left out unless they are what is asked for."""
    query = asked.arguments.needed("query")
    limit = asked.arguments.number("limit")
    is_reference = asked.arguments.choice("scope") == "reference"
    # As many more as could stand in the way of those that are wanted.
    help_pages = sum(map(asked.is_reference, asked.pages.by_path))
    asked_for = f'path:"{REFERENCE}/" {query}' if is_reference else query
    results = asked.vault.search.find(asked_for, limit + help_pages, within=asked.scope)
    hits = [
        hit
        for hit in results.hits
        if hit.path in asked.pages.by_path and asked.is_reference(hit.path) == is_reference
    ][:limit]
    said = clipped("\n".join(_remarks(asked, results, is_reference)), _REMARKS_BYTES)
    remarks = [said] if said else []
    shown = asked.wording.line(query)
    if not hits:
        hint = f"Try fewer or other words, or see {LIST}."
        return "\n".join([f"Nothing was found for “{shown}”.", *remarks, hint])
    head = "\n".join([f"Found for “{shown}” (read on with {READ} or {SECTION}):", *remarks])
    lines = [_hit_lines(asked, hit) for hit in hits]
    return fitted(head, lines, asked.room, lambda left: f"…and {left} more: use a closer query.")


def _hit_lines(asked: Asked, hit: Hit) -> str:
    page = asked.pages.by_path[hit.path]
    lines = [f"- {asked.wording.page(page)}"]
    for passage in hit.passages[:1]:
        way = asked.wording.way(passage.heading_path)
        snippet = asked.wording.line(passage.snippet, _LONGEST_SNIPPET)
        lines.append(f"  {way}: {snippet}" if way else f"  {snippet}")
    return "\n".join(lines)


def _remarks(asked: Asked, results: Results, is_reference: bool) -> Iterator[str]:
    if results.is_loosened:
        yield "No page has those words in that order; these have the words."
    for word, instead in results.corrected:
        near = ", ".join(f"“{asked.wording.line(each)}”" for each in instead)
        yield f"No page has “{asked.wording.line(word)}”; looked for {near}."
    for each in results.suggestions:
        title = asked.wording.line(each.title)
        if not each.path and not asked.scope:
            yield f"“{title}” is linked to {each.links} times, but nobody wrote it yet."
        elif each.path in asked.pages.by_path and asked.is_reference(each.path) == is_reference:
            yield f"There is a page “{title}”."
