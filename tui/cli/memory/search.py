"""`zib memory search`: which pages answer a question, where, and why."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from tui.cli.memory.opened import EXIT_FAILED, with_vault
from tui.cli.memory.printed import print_json, print_lines
from tui.cli.run import print_error
from tui.text.line import to_line
from vault.names import displayable
from vault.search.result import Hit, Passage, Results
from vault.vault import Vault

Flags = Mapping[str, object]
_BOLD, _PLAIN = "\x1b[1m", "\x1b[22m"


def run_search(flags: Flags, query: str, limit: int, is_explained: bool, is_json: bool) -> int:
    """Print the best pages; 1 when there is none."""

    def search(vault: Vault) -> int:
        results = vault.search.find(query, limit)
        if is_json:
            print_json(_told(results, is_explained))
        else:
            print_lines(_lines(results, is_explained, sys.stdout.isatty()))
            for remark in _remarks(results):
                print_error(remark)
        return 0 if results.hits else EXIT_FAILED

    return with_vault(flags, search)


def _told(results: Results, is_explained: bool) -> dict[str, Any]:
    return {
        "hits": [_hit_told(hit, is_explained) for hit in results.hits],
        "looked_at": results.total,
        "corrected": dict(results.corrected),
        "loosened": results.is_loosened,
        "suggestions": msgspec.to_builtins(results.suggestions),
    }


def _hit_told(hit: Hit, is_explained: bool) -> dict[str, Any]:
    told = {
        "path": displayable(hit.path),
        "title": hit.title,
        "date": hit.date,
        "score": round(hit.score, 4),
        "passages": msgspec.to_builtins(hit.passages),
    }
    return told | ({"parts": msgspec.to_builtins(hit.parts)} if is_explained else {})


def _lines(results: Results, is_explained: bool, is_styled: bool) -> Iterator[str]:
    for hit in results.hits:
        date = f"  {hit.date}" if hit.date else ""
        title = to_line(hit.title)
        yield f"{_BOLD}{title}{_PLAIN}{date}" if is_styled else f"{title}{date}"
        if is_explained:
            yield f"  {hit.score:.2f} = {_explained(hit)}"
        for passage in hit.passages:
            yield f"  {to_line(displayable(hit.path))}:{passage.line}{_headings(passage)}"
            yield f"    {_snippet(passage, is_styled)}"


def _explained(hit: Hit) -> str:
    parts = [part for part in hit.parts if part.points]
    if not parts:
        return "listed by date"
    return " ".join(
        f"{part.points:+.2f} {part.name}"
        + (f" ({to_line(', '.join(part.words))})" if part.words else "")
        for part in parts
    )


def _headings(passage: Passage) -> str:
    return f"  {to_line(' › '.join(passage.heading_path))}" if passage.heading_path else ""


def _snippet(passage: Passage, is_styled: bool) -> str:
    if not is_styled:
        return to_line(passage.snippet)
    pieces: list[str] = []
    done = 0
    for start, end in passage.highlights:
        pieces += [to_line(passage.snippet[done:start]) if start > done else ""]
        pieces += [_BOLD, to_line(passage.snippet[start:end]), _PLAIN]
        done = end
    return "".join([*pieces, to_line(passage.snippet[done:])])


def _remarks(results: Results) -> Iterator[str]:
    if results.is_loosened:
        yield "No page has those words in that order; these have the words."
    for word, instead in results.corrected:
        yield f"No page has “{word}”; looked for {', '.join(f'“{each}”' for each in instead)}."
    for each in results.suggestions:
        if each.path:
            yield f"There is a page “{each.title}”."
        else:
            yield f"“{each.title}” is not written yet; links that ask for it: {each.links}."
    if not results.hits:
        yield "No page was found."
