"""Edits of what stands above the sections: title, stub mark, categories and infobox lines."""

import re
from collections.abc import Iterable

from vault.article.infobox import Infobox, render_infobox
from vault.article.page import Article
from vault.article.splices import Edit, Edits
from vault.errors import EditRefused

_STUB_LINE = "{{stub}}"
_UNSAFE = re.compile(r"[\r\n]")
_UNSAFE_CATEGORY = re.compile(r"[\[\]|#\r\n,]")


def set_title(article: Article, title: str) -> Edits:
    """Make `title` the level-one heading; on a page without one, put it above everything else."""
    _one_line(title, "A title")
    heading = article.heading
    if heading is None:
        lines = article.layout.lines
        place, line_break = lines.start(article.layout.front_lines), lines.break_near(0)
        lead = line_break if _is_mid_line(article, place) else ""
        tail = line_break * 2 if place < len(article.text) else line_break
        return (Edit(place, place, f"{lead}# {title}{tail}"),)
    if heading.source == title:
        return ()
    line_break = article.layout.lines.break_near(heading.end)
    ending = line_break if article.text[: heading.end].endswith(("\n", "\r")) else ""
    return (Edit(heading.start, heading.end, f"# {title}{ending}"),)


def set_stub(article: Article, is_stub: bool) -> Edits:
    """Add the stub mark below the title, or take it away."""
    found = article.opening.stubs
    if is_stub:
        return () if found else (_line_below_title(article, _STUB_LINE),)
    return tuple(_without_lines(article, each.start, each.end) for each in found)


def set_categories(article: Article, names: Iterable[str]) -> Edits:
    """Make the page a member of exactly these categories, on one line."""
    wanted = tuple(dict.fromkeys(name.strip() for name in names if name.strip()))
    for name in wanted:
        if _UNSAFE_CATEGORY.search(name):
            raise EditRefused(f"“{name}” holds a character that a category cannot.")
    opening = article.opening
    if wanted == opening.categories:
        return ()
    first, *others = opening.category_lines or (None,)
    edits = [_without_lines(article, each.start, each.end) for each in others if each]
    line = f"categories: {', '.join(f'[[Category:{name}]]' for name in wanted)}"
    if first is not None and wanted:
        edits.append(Edit(first.start, first.end, line))
    elif first is not None:
        edits.append(_without_lines(article, first.start, first.end))
    elif wanted:
        marks = [each.end for each in (opening.series, opening.stub) if each is not None]
        edits.append(_line_below_title(article, line, max(marks, default=None)))
    return tuple(edits)


def set_infobox_field(article: Article, key: str, value: str) -> Edits:
    """Give an infobox field a value; a new field comes last but before `aliases`.

    A page without an infobox gets one, above its lead.
    """
    key, value = _one_line(key, "An infobox key").strip(), _one_line(value, "A value").strip()
    if ":" in key or not key or key.startswith(("`", "~")):
        raise EditRefused(f"“{key}” cannot be the key of an infobox line.")
    box = article.infobox
    if box is None:
        return _new_infobox(article, key, value)
    found = box.find(key)
    if found is not None:
        lead = "" if article.text[found.value_start - 1] in " \t" or not value else " "
        start, end = found.value_start, found.value_start + len(found.value)
        return (Edit(start, end, lead + value),) if found.value != value else ()
    return (_new_field(article, box, f"{key}: {value}".rstrip()),)


def remove_infobox_field(article: Article, key: str) -> Edits:
    """Take an infobox line away."""
    found = article.infobox.find(key) if article.infobox else None
    return (Edit(found.start, found.end, ""),) if found else ()


def _new_field(article: Article, box: Infobox, line: str) -> Edit:
    place = box.inner_end
    last = box.find("aliases")
    if last is not None and last.end == box.inner_end:
        place = last.start
    return Edit(place, place, line + article.layout.lines.break_near(place))


def _new_infobox(article: Article, key: str, value: str) -> Edits:
    opening, lines = article.opening, article.layout.lines
    marks = (opening.stub, opening.series, *opening.category_lines)
    until = opening.lead.start if opening.lead else len(article.text)
    after = max((each.end for each in marks if each and each.end <= until), default=None)
    heading = article.heading
    if after is None:
        after = heading.end if heading else lines.start(article.layout.front_lines)
    line = lines.line_of(max(after - 1, 0)) + 1 if after else 0
    place, line_break = lines.start(line), lines.break_near(after)
    lead = (line_break * (1 + _is_mid_line(article, place))) if place else ""
    tail = "" if place >= len(article.text) or lines.is_blank(line) else line_break
    return (Edit(place, place, f"{lead}{render_infobox({key: value}, line_break)}{tail}"),)


def _line_below_title(article: Article, line: str, after: int | None = None) -> Edit:
    lines, heading = article.layout.lines, article.heading
    if heading and not article.prose[heading.start : heading.end].strip():
        raise EditRefused("The title of the page is inside a comment; take it out first.")
    if after is None:
        after = heading.end if heading else lines.start(article.layout.front_lines)
    row = lines.line_of(after - 1) + 1 if after else 0
    place, line_break = lines.start(row), lines.break_near(after)
    lead = line_break if _is_mid_line(article, place) else ""
    # Text on the next line would become one paragraph with the mark.
    is_apart = place >= len(article.text) or lines.is_blank(row)
    return Edit(place, place, f"{lead}{line}{line_break}{'' if is_apart else line_break}")


def _without_lines(article: Article, start: int, end: int) -> Edit:
    lines = article.layout.lines
    return Edit(start, lines.start(lines.line_of(max(start, end - 1)) + 1), "")


def _is_mid_line(article: Article, place: int) -> bool:
    return place > 0 and article.text[place - 1] not in "\r\n"


def _one_line(text: str, what: str) -> str:
    if _UNSAFE.search(text) or not text.strip():
        raise EditRefused(f"{what} is one line that is not empty.")
    return text
