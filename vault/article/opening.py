"""What stands above the sections of an article: one-line marks and the lead."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vault.article.block import BlockKind
from vault.article.blocks import Layout
from vault.article.headings import Heading
from vault.article.infobox import Infobox

_TARGET = r"\[\[(?P<target>[^\[\]|#]+)(?:[#|][^\[\]]*)?\]\]"
_STUB = re.compile(r"\{\{stub\}\}", re.IGNORECASE)
_SERIES = re.compile(rf"([*_])Part of a series on {_TARGET}\.?\1\.?", re.IGNORECASE)
_CATEGORIES = re.compile(r"categories:(?P<names>.*)", re.IGNORECASE)
_CATEGORY = re.compile(r"\[\[\s*Category:(?P<name>[^\[\]|#]+)(?:[#|][^\[\]]*)?\]\]", re.IGNORECASE)
_REDIRECT = re.compile(rf"([*_])Redirects to {_TARGET}\.?\1\.?", re.IGNORECASE)
_MAIN = re.compile(
    rf"(?:([*_])Main article: {_TARGET}\.?\1\.?|\{{\{{Main\|(?P<name>[^{{}}|]+)\}}\}})",
    re.IGNORECASE,
)
_DEFINITION = re.compile(r" {0,3}\[\^[^\[\]\s]+\]:")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the page: what it says and the characters it takes, without its line break."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Opening:
    """The marks of a page and its lead.

    `series`, `redirect` and `main_articles` say the name of the page they link to. `lead` is the
    first paragraph below the title, its lines joined by spaces.
    """

    stubs: tuple[Piece, ...] = ()
    series: Piece | None = None
    redirect: Piece | None = None
    category_lines: tuple[Piece, ...] = ()
    main_articles: tuple[Piece, ...] = ()
    lead: Piece | None = None

    @property
    def stub(self) -> Piece | None:
        """The first stub mark."""
        return self.stubs[0] if self.stubs else None

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories the page names, each once, in order."""
        names = (
            found["name"].strip()
            for line in self.category_lines
            for found in _CATEGORY.finditer(line.text)
        )
        return tuple(dict.fromkeys(name for name in names if name))


def read_opening(
    layout: Layout, prose: str, headings: Sequence[Heading], infobox: Infobox | None
) -> Opening:
    """Read the marks outside code and comments, and the lead."""
    found: dict[re.Pattern[str], list[Piece]] = {}
    for line in _paragraph_lines(layout):
        pattern, match = _mark(_shown(layout, prose, line))
        if pattern is not None and match is not None:
            piece = _piece(layout, line, pattern, match)
            found.setdefault(pattern, []).append(piece)
    title = next((each for each in headings if each.level == 1 and not each.is_nested), None)
    after = title.end if title else layout.lines.start(layout.front_lines)
    parts = (each.start for each in headings if each.level > 1 and not each.is_nested)
    until = next((start for start in parts if start >= after), len(layout.text))
    lead = None
    if infobox and after <= infobox.start < until:
        lead = first_paragraph(layout, prose, infobox.end, until)
    redirects = [each for each in found.get(_REDIRECT, ()) if each.start < until]
    return Opening(
        tuple(found.get(_STUB, ())),
        next(iter(found.get(_SERIES, ())), None),
        next(iter(redirects), None),
        tuple(found.get(_CATEGORIES, ())),
        tuple(found.get(_MAIN, ())),
        lead or first_paragraph(layout, prose, after, until),
    )


def is_mark(line: str) -> bool:
    """Tell whether a line is one of the marks, or a footnote, rather than text."""
    return _mark(line.strip())[0] is not None or _DEFINITION.match(line) is not None


def first_paragraph(layout: Layout, prose: str, after: int, until: int) -> Piece | None:
    """Return the first top-level paragraph that starts in a range, without marks above it."""
    lines = layout.lines
    for block in layout.top_level(BlockKind.PARAGRAPH):
        start = lines.start(block.first)
        if start < after:
            continue
        if start >= until:
            break
        shown: list[int] = []
        for line in range(block.first, block.end):
            if not prose[lines.start(line) : lines.end(line)].strip() and "`" not in (
                lines.content(line)
            ):
                continue
            if not is_mark(lines.content(line)):
                shown.append(line)
            elif shown:
                break
        if shown:
            text = " ".join(lines.content(line).strip() for line in shown)
            return Piece(text, lines.start(shown[0]), lines.end(shown[-1]))
    return None


def _mark(line: str) -> tuple[re.Pattern[str] | None, re.Match[str] | None]:
    for pattern in (_STUB, _SERIES, _CATEGORIES, _REDIRECT, _MAIN):
        match = pattern.fullmatch(line)
        if match:
            return pattern, match
    return None, None


def _piece(layout: Layout, line: int, pattern: re.Pattern[str], match: re.Match[str]) -> Piece:
    text = match.group()
    if pattern in {_SERIES, _REDIRECT}:
        text = match["target"].strip()
    elif pattern is _MAIN:
        text = (match["target"] or match["name"]).strip()
    return Piece(text, layout.lines.start(line), layout.lines.end(line))


def _paragraph_lines(layout: Layout) -> Iterator[int]:
    for block in layout.top_level(BlockKind.PARAGRAPH):
        yield from range(block.first, block.end)


def _shown(layout: Layout, prose: str, line: int) -> str:
    """Return a line as it is written, or empty when a part of it is hidden or is code."""
    content = layout.lines.content(line)
    is_whole = prose[layout.lines.start(line) : layout.lines.end(line)] == content
    return content.strip(" \t") if is_whole else ""
