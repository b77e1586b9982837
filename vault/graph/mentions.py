"""Pages that name another page without linking to it."""

import bisect
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from vault.article.page import parse_article
from vault.errors import VaultError
from vault.files import ArticleFile
from vault.index.grams import pairs_of, runs
from vault.index.index import Index
from vault.links.scan import links_in

_SHORTEST = 3
_MOST_PAGES = 200
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in the prose of `path`, from `start` to `end`; `line` counts from 1."""

    path: str
    start: int
    end: int
    line: int
    text: str
    context: str


def unlinked_mentions(
    index: Index, read: Callable[[str], ArticleFile], path: str
) -> tuple[Mention, ...]:
    """Find where other pages say the title or an alias of a page in their prose, unlinked."""
    names = _names(index, path)
    pattern = _pattern(names)
    if pattern is None:
        return ()
    found: list[Mention] = []
    for other in _candidates(index, names, path):
        try:
            text = read(other).text
        except VaultError:
            continue
        found += _mentions(other, text or "", pattern)
    return tuple(found)


def _names(index: Index, path: str) -> list[str]:
    with index.reading() as connection:
        rows: Any = connection.execute(
            "SELECT page.title, name.text FROM page LEFT JOIN name ON name.page = page.id"
            " AND name.kind <> 'file' WHERE page.path = ?",
            (path,),
        ).fetchall()
    names = {str(name) for row in rows for name in row if name}
    return sorted((name for name in names if _is_telling(name)), key=len, reverse=True)


def _is_telling(name: str) -> bool:
    """Whether a name is long enough to mean the page wherever it occurs."""
    return len(name) >= _SHORTEST or any(len(run) > 1 for run in runs(name))


def _pattern(names: list[str]) -> re.Pattern[str] | None:
    if not names:
        return None
    words = "|".join(_spaced(name) for name in names)
    return re.compile(rf"(?<![^\W_])(?:{words})(?![^\W_])|{_run_names(names)}", re.IGNORECASE)


def _spaced(name: str) -> str:
    return r"\s+".join(re.escape(word) for word in unicodedata.normalize("NFC", name).split())


def _run_names(names: list[str]) -> str:
    """Names in scripts without spaces may stand within a longer stretch."""
    whole = [re.escape(name) for name in names if [name] == list(runs(name))]
    return "|".join(whole) if whole else "(?!)"


def _candidates(index: Index, names: list[str], path: str) -> list[str]:
    found: dict[str, None] = {}
    with index.reading() as connection:
        for name in names:
            for table, phrase in _phrases(name):
                rows: Any = connection.execute(
                    f"SELECT page.path FROM {table} JOIN page ON page.id = {table}.rowid"
                    f" WHERE {table} MATCH ? AND page.path <> ? LIMIT {_MOST_PAGES}",
                    (phrase, path),
                )
                found |= dict.fromkeys(str(other) for (other,) in rows)
    return list(found)[:_MOST_PAGES]


def _phrases(name: str) -> Iterator[tuple[str, str]]:
    words = _WORD.findall(name)
    if words and not list(runs(name)):
        yield "words", f'body : "{" ".join(words)}"'
    for run in runs(name):
        yield "grams", f'body : "{" ".join(pairs_of(run))}"'


def _mentions(path: str, text: str, pattern: re.Pattern[str]) -> Iterator[Mention]:
    article = parse_article(text)
    prose = article.prose
    taken = [(link.start, link.end) for link in links_in(article.layout, prose)]
    taken += [(heading.start, heading.end) for heading in article.headings]
    taken.sort()
    ends = list(accumulate((last for _, last in taken), max))
    lines = article.layout.lines
    for found in pattern.finditer(prose):
        start, end = found.span()
        before = bisect.bisect_left(taken, (end, 0))
        if before and start < ends[before - 1]:
            continue
        line = lines.line_of(start)
        context = lines.content(line).strip()
        yield Mention(path, start, end, line + 1, text[start:end], context)
