"""The rows of the lint screen: findings by kind, and in each by page. Pure values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from textual.content import Content

from tui.text.content import literal_line
from tui.widgets.wiki.panel.rows import OpenPage, Row
from vault.lint.finding import KINDS, Finding, Kind
from vault.names import displayable

WORDS: dict[Kind, tuple[str, str]] = {
    "wanted": ("Not written yet", "links to pages that do not exist"),
    "orphaned": ("Orphaned", "no other page links there"),
    "dead-end": ("Dead ends", "pages that link to no other"),
    "ambiguous": ("Ambiguous", "links that could mean several pages"),
    "dead-anchor": ("Dead anchors", "links to headings that do not exist"),
    "double-redirect": ("Double redirects", "redirects to redirects"),
    "duplicate-title": ("Twins", "pages called the same"),
    "footnote": ("Footnotes", "marks without a note, and notes without a mark"),
    "structure": ("Structure", "what departs from the grammar of articles"),
    "oversize": ("Oversize", "pages that are too long to be of use"),
    "unreadable": ("Unreadable", "files that could not be read"),
}


@dataclass(frozen=True, slots=True)
class LintRow:
    """A row with the kind it belongs to and, below a page, its finding."""

    row: Row
    kind: Kind
    finding: Finding | None = None


def lint_rows(findings: Sequence[Finding]) -> tuple[LintRow, ...]:
    """Kinds in their order; pages by path, lines by number."""
    rows: list[LintRow] = []
    for kind in KINDS:
        found = [finding for finding in findings if finding.kind == kind]
        if found:
            rows.append(LintRow(Row(_kind(kind, found)), kind))
            for path, on_page in groupby(found, lambda finding: finding.path):
                rows += _page(kind, path, tuple(on_page))
    return tuple(rows)


def summary(findings: Sequence[Finding]) -> str:
    """How much is wrong, and how much of it can be mended."""
    if not findings:
        return "Nothing was found."
    pages = len({finding.path for finding in findings})
    fixable = sum(finding.fix is not None for finding in findings)
    mended = f"{fixable:,} can be mended" if fixable else "none can be mended by zib"
    return f"{counted(len(findings), 'finding')} on {counted(pages, 'page')} · {mended}"


def counted(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _kind(kind: Kind, found: Sequence[Finding]) -> Content:
    title, words = WORDS[kind]
    fixable = sum(finding.fix is not None for finding in found)
    mended = Content.styled(f" · {fixable:,} fixable", "$text-success") if fixable else ""
    about = Content.styled(f"  {words}", "$foreground-muted")
    head = Content.styled(f"{title} {len(found):,}", "bold $pane-title")
    return Content.assemble(head, mended, about)


def _page(kind: Kind, path: str, found: Sequence[Finding]) -> list[LintRow]:
    name = literal_line(displayable(path)).stylize("$memory-link")
    if len(found) == 1 and not found[0].line:
        text = Content.assemble("  ", name, "  ", _message(found[0]))
        return [LintRow(Row(text, OpenPage(path)), kind, found[0])]
    count = Content.styled(f" {len(found):,}" if len(found) > 1 else "", "$foreground-muted")
    rows = [LintRow(Row(Content.assemble("  ", name, count), OpenPage(path)), kind)]
    return rows + [_finding(kind, finding) for finding in found]


def _finding(kind: Kind, finding: Finding) -> LintRow:
    line = Content.styled(f"{finding.line or '':>6}  ", "$foreground-muted")
    text = Content.assemble(line, _message(finding))
    return LintRow(Row(text, OpenPage(finding.path, finding.line)), kind, finding)


def _message(finding: Finding) -> Content:
    message = literal_line(displayable(finding.message))
    if finding.fix is None:
        return message
    fix = literal_line(displayable(finding.fix.description)).stylize("$text-success")
    return Content.assemble(message, Content.styled(" → ", "$text-success"), fix)
