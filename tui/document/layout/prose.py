"""Paragraphs, headings and what else is a text with something before or below it."""

from __future__ import annotations

from rich.cells import cell_len

from tui.document.blocks import (
    CalloutBody,
    EmbedBody,
    HeadingBody,
    LiteralBody,
    ProseBody,
)
from tui.document.callouts import callout_sign
from tui.document.inline import read_inline
from tui.document.layout.flow_text import Sheet, rule
from tui.document.lines import Run, Runs, runs_cells, with_roles
from tui.document.page import Page
from tui.document.roles import HEADING_ROLES, Role
from tui.document.signs import EMBED_SIGN
from tui.document.targets import FoldMark, LinkTarget, NoteReturn, TaskBox
from tui.text.line import to_line

FOLDED_SIGN, OPEN_SIGN = "▸", "▾"
RETURN_SIGN = "↩"
_BOXES = {" ": "☐", "x": "☑", "X": "☑", "-": "☒"}
_DONE = frozenset("xX-")


def lay_heading(sheet: Sheet, body: HeadingBody, page: Page, *, is_folded: bool) -> None:
    """A heading; those of the first two levels are underlined by a rule."""
    role = HEADING_ROLES[body.level - 1]
    runs = with_roles(read_inline(body.source, page, sheet.targets), role)
    if is_folded and body.group is not None:
        link = sheet.add_target(FoldMark(body.group))
        runs = (*runs, Run(" ⋯", (Role.QUIET,), link))
    sheet.write(runs)
    if body.level == 1:
        sheet.draw(rule("━", sheet.text_width))
    elif body.level == 2:
        sheet.draw(rule("─", sheet.text_width))


def lay_prose(sheet: Sheet, body: ProseBody, page: Page, line: int) -> None:
    """A paragraph, maybe a task or a footnote."""
    before: Runs = ()
    hanging: Runs = ()
    if body.task is not None:
        link = sheet.add_target(TaskBox(line, page.path))
        box = _BOXES.get(body.task, f"[{to_line(body.task)}]")
        before = (Run(box, (Role.TASK,), link), Run(" "))
        begun = runs_cells(sheet.margin.first) - runs_cells(sheet.margin.rest)
        hanging = (Run(" " * max(begun + cell_len(box) + 1, 0)),)
    runs = with_roles(read_inline(body.source, page, sheet.targets), *body.roles)
    if body.task is not None and body.task in _DONE:
        runs = with_roles(runs, Role.DONE)
    if body.note is not None:
        link = sheet.add_target(NoteReturn(body.note))
        runs = (*runs, Run(" "), Run(RETURN_SIGN, (Role.NOTE,), link))
    sheet.write(runs, hanging, before)


def lay_literal(sheet: Sheet, body: LiteralBody) -> None:
    """Text as it is written."""
    for line in body.text.split("\n"):
        sheet.write((Run(line.expandtabs(4), body.roles),))


def lay_callout(sheet: Sheet, body: CalloutBody, page: Page, *, is_folded: bool) -> None:
    """The title of a callout."""
    before = (Run(f"{callout_sign(body.role)} ", (body.role,)),)
    hanging = (Run("  "),)
    runs = with_roles(read_inline(body.title, page, sheet.targets), body.role, Role.STRONG)
    if body.group is not None:
        link = sheet.add_target(FoldMark(body.group))
        sign = FOLDED_SIGN if is_folded else OPEN_SIGN
        runs = (*runs, Run(" "), Run(sign, (body.role,), link))
    sheet.write(runs, hanging, before)


def lay_embed(sheet: Sheet, body: EmbedBody, page: Page) -> None:
    """The head of an embedded page."""
    link = sheet.add_target(LinkTarget(body.href, page.path))
    runs = [Run(to_line(body.title), (Role.LINK,), link)]
    if body.problem:
        runs.append(Run(f"  {body.problem}", (Role.QUIET,)))
    sheet.write(tuple(runs), (Run("  "),), (Run(EMBED_SIGN, (Role.QUIET,)),))
