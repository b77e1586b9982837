"""Edits of single properties; the lines of all others keep their bytes."""

import re
from collections.abc import Sequence

from vault.article.blocks import read_layout
from vault.article.front_matter import FrontMatter, read_front_matter
from vault.article.lines import LineTable, with_breaks
from vault.article.page import Article
from vault.article.properties import Property, Style
from vault.article.scalars import write_scalar
from vault.article.splices import Edit, Edits, apply_edits, trimmed
from vault.errors import EditRefused

_PLAIN_KEY = re.compile(r"[^\s\-?:,\[\]{}#&*!|>'\"%@`=~](?:[^:#\r\n\x00-\x1f]*[^\s:#\x00-\x1f])?")

Value = str | Sequence[str]


def set_property(article: Article, key: str, value: Value) -> Edits:
    """Give a property a value, or a list of values; a new one becomes the last.

    Raises EditRefused when the front matter is malformed or holds the property twice.
    """
    front, lines = article.front_matter, article.layout.lines
    if front is None:
        line_break = lines.break_near(0)
        entry = with_breaks(f"---\n{_written_key(key)}:{_written(value)}\n---\n", line_break)
        return _checked(article, key, value, (Edit(0, 0, entry),))
    found = _only(front, key)
    if found is None:
        line_break = lines.break_near(front.inner_end)
        entry = with_breaks(f"{_written_key(key)}:{_written(value)}\n", line_break)
        edits: Edits = (Edit(front.inner_end, front.inner_end, entry),)
    elif _means(found, value):
        return ()
    else:
        edits = _replaced(lines, found, value)
    return _checked(article, key, value, edits)


def remove_property(article: Article, key: str) -> Edits:
    """Take a property away with all its lines; the block stays, be it empty."""
    found = _only(article.front_matter, key) if article.front_matter else None
    return (Edit(found.start, found.end, ""),) if found else ()


def _only(front: FrontMatter, key: str) -> Property | None:
    if front.problem is not None:
        raise EditRefused(
            f"The properties at the top of the page are left alone: {front.problem}."
            " Correct them in the editor first."
        )
    named = [each for each in front.properties if each.key.casefold() == key.casefold()]
    if len(named) > 1:
        raise EditRefused(f"The page has the property “{key}” twice; remove one of them first.")
    return named[0] if named else None


def _means(found: Property, value: Value) -> bool:
    if isinstance(value, str):
        return found.style is Style.SCALAR and (found.texts or ("",)) == (value,)
    is_list = found.style in {Style.FLOW_LIST, Style.BLOCK_LIST}
    return is_list and found.texts == tuple(value)


def _replaced(lines: LineTable, found: Property, value: Value) -> Edits:
    is_one_line = lines.line_of(found.end - 1) == lines.line_of(found.start)
    if isinstance(value, str) and found.style is Style.SCALAR and is_one_line:
        if not found.values:
            return (Edit(found.value_start, found.value_start, _written(value)),)
        (old,) = found.values
        quote = old.quote if old.quote in {"'", '"'} else ""
        # A comment behind the value stays.
        return (Edit(old.start, old.end, write_scalar(value, quote)),)
    last = lines.end(lines.line_of(found.end - 1))
    new = with_breaks(_written(value, found, lines), lines.break_near(found.start))
    return trimmed(lines.text, Edit(found.value_start, last, new))


def _written(value: Value, like: Property | None = None, lines: LineTable | None = None) -> str:
    """Write what follows the colon; a list as `like` writes it, else one item a line."""
    if isinstance(value, str):
        return f" {write_scalar(value)}"
    if not value:
        return " []"
    quotes = {each.text: each.quote for each in like.values} if like else {}
    if like is not None and like.style is Style.FLOW_LIST:
        items = (write_scalar(each, quotes.get(each, ""), is_in_flow=True) for each in value)
        return f" [{', '.join(items)}]"
    marker = "  - "
    if like is not None and lines is not None and like.style is Style.BLOCK_LIST and like.values:
        line = lines.line_of(like.values[0].start)
        marker = lines.text[lines.start(line) : like.values[0].start]
    return "".join(f"\n{marker}{write_scalar(each, quotes.get(each, ''))}" for each in value)


def _written_key(key: str) -> str:
    if not key.strip():
        raise EditRefused("A property needs a name.")
    return key if _PLAIN_KEY.fullmatch(key) else write_scalar(key, '"')


def _checked(article: Article, key: str, value: Value, edits: Edits) -> Edits:
    """Read the result back; refuse an edit that other programs might read otherwise."""
    front = read_front_matter(read_layout(apply_edits(article.text, edits)))
    found = front.find(key) if front else None
    if front is None or front.problem or found is None or not _means(found, value):
        raise EditRefused(f"“{key}” cannot be written into the properties of this page.")
    return edits
