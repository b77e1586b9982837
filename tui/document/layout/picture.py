"""A picture that stands alone: its rows where it is drawn, and its name below."""

from __future__ import annotations

from tui.document.blocks import PictureBody
from tui.document.inline import is_external
from tui.document.layout.flow_text import Sheet
from tui.document.lines import Run
from tui.document.page import Page
from tui.document.roles import Role
from tui.document.signs import EXTERNAL_SIGN, PICTURE_SIGN
from tui.document.targets import LinkTarget
from tui.pictures.source import PictureRow, cells_of
from tui.text.line import to_line


def lay_picture(sheet: Sheet, body: PictureBody, page: Page) -> None:
    """The rows are there before the picture is, so that nothing moves when it comes."""
    source = body.found.source
    if source is not None:
        columns, rows = cells_of(source, body.width, sheet.text_width)
        for row in range(rows):
            sheet.draw_picture(PictureRow(source, columns, rows, row))
    link = sheet.add_target(LinkTarget(body.href, page.path))
    is_away = is_external(body.href)
    role, sign = (Role.EXTERNAL, EXTERNAL_SIGN) if is_away else (Role.LINK, "")
    facts = body.found.facts or ("not fetched: it is not in the wiki" if is_away else "")
    label = to_line(body.alt) or to_line(body.href)
    runs = [Run(f"{label}{sign}", (role,), link)]
    if facts:
        runs.append(Run(f"  {to_line(facts)}", (Role.QUIET,)))
    sheet.write(tuple(runs), (Run("  "),), (Run(PICTURE_SIGN, (Role.QUIET,)),))
