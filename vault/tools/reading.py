"""memory_read, memory_toc and memory_section: what a page says, a little at a time."""

import difflib
from collections.abc import Iterator

from vault.article.page import Article, parse_article
from vault.article.sections import Section
from vault.errors import ToolRefused
from vault.tools.asked import Asked
from vault.tools.cutting import clipped, fitted, parts, size_of
from vault.tools.known_page import KnownPage
from vault.tools.offer import READ, SECTION, STATUS, TOC

_LEAD_BYTES = 480
_PART_LINE_BYTES = 60
_MOST_TITLES = 12


def read_page(asked: Asked) -> str:
    """The whole page where it has room, else its lead and its sections."""
    page = asked.page
    article = _article(asked, page)
    text = asked.wording.text(article.text)
    head = asked.wording.page(page)
    whole = f"{head}\n\n{text}"
    if size_of(whole) <= asked.room:
        return whole
    size = size_of(text)
    if size_of(whole) <= asked.budget.left:
        hint = f"read one with {SECTION}, or all {size:,} bytes with force"
    else:
        hint = f"read one with {SECTION}; all {size:,} bytes are too much for now"
    lead = article.opening.lead
    if lead is not None:
        head += f"\n\n{clipped(asked.wording.text(lead.text), _LEAD_BYTES)}"
    return _outline(asked, article, f"{head}\n\nThis is only the beginning. Sections ({hint}):")


def page_toc(asked: Asked) -> str:
    """The headings of a page."""
    page = asked.page
    article = _article(asked, page)
    size = size_of(asked.wording.text(article.text))
    head = f"{asked.wording.page(page)} · {size:,} bytes\nSections (read one with {SECTION}):"
    return _outline(asked, article, head)


def page_section(asked: Asked) -> str:
    """A section with what is below it, or the whole page, in parts."""
    page = asked.page
    article = _article(asked, page)
    heading = asked.arguments.text("heading")
    section = _section(asked, page, article, heading) if heading else None
    start, end = (section.start, section.tree_end) if section else (0, len(article.text))
    head = asked.wording.page(page)
    if section:
        head += f"\n{asked.wording.way(section.path)}"
    most = asked.budget.most_a_read - size_of(head) - _PART_LINE_BYTES
    pieces = parts(asked.wording.text(article.text[start:end]), most) or [""]
    number = asked.arguments.number("part")
    if number > len(pieces):
        raise ToolRefused(f"There is no part {number}; the last is {len(pieces)}. See {TOC}.")
    if len(pieces) == 1:
        return f"{head}\n\n{pieces[0].strip() or '(nothing is written here)'}"
    next_part = f"; go on with part {number + 1}" if number < len(pieces) else ", the last"
    return f"{head}\nPart {number} of {len(pieces)}{next_part}\n\n{pieces[number - 1].strip()}"


def _article(asked: Asked, page: KnownPage) -> Article:
    file = asked.vault.read(page.path)
    if file.text is None:
        reason = file.read_only_reason or "it is not text"
        raise ToolRefused(f"“{page.title}” cannot be read: {reason}. See {STATUS}.")
    return parse_article(file.text)


def _outline(asked: Asked, article: Article, head: str) -> str:
    lines = list(_section_lines(asked, article))
    if not lines:
        lines = [f"(none; {SECTION} without a heading reads the page in parts)"]
    return fitted(head, lines, asked.room, lambda left: f"…and {left} more sections.")


def _section_lines(asked: Asked, article: Article) -> Iterator[str]:
    for section in article.sections:
        if section.heading is not None:
            size = size_of(article.text[section.start : section.tree_end])
            title = asked.wording.line(section.title) or "(no title)"
            anchor = asked.wording.line(section.heading.anchor)
            yield f"{'  ' * (section.level - 1)}- {title} [{anchor}] {size:,} bytes"


def _section(asked: Asked, page: KnownPage, article: Article, heading: str) -> Section:
    found = article.section(heading.strip().removeprefix("[").removesuffix("]"))
    if found is not None:
        return found
    titles = {asked.wording.line(each.title): None for each in article.sections if each.title}
    near = difflib.get_close_matches(heading, titles, 3, 0.5)
    listed = list(dict.fromkeys([*near, *titles]))
    shown = ", ".join(f"“{title}”" for title in listed[:_MOST_TITLES])
    said = f"It has {shown}" if shown else f"It has none; {READ} reads it"
    more = f" and {len(listed) - _MOST_TITLES} more, see {TOC}" if len(listed) > 12 else ""
    title = asked.wording.line(page.title)
    raise ToolRefused(f"“{title}” has no section “{asked.wording.line(heading)}”. {said}{more}.")
