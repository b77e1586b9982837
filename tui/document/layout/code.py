"""Code with its language above it, coloured by Pygments."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rich.cells import cell_len, split_graphemes

from tui.document.blocks import Code, CodeBody
from tui.document.layout.flow_text import Sheet, elided, ends
from tui.document.lines import Run, Runs
from tui.document.roles import Role
from tui.document.targets import CodeCopy
from tui.document.wrap import Span

if TYPE_CHECKING:
    from textual.highlight import HighlightTheme

COPY_SIGN = "copy"
# Longer code is coloured piece by piece; code with a longer line not at all.
MOST_COLOURED_WHOLE = 12_000
LONGEST_COLOURED_LINE = 1_000
_GROUND = Role.CODE_BLOCK
_TAB = 4
# The colours of Textual's highlighter, by what they are given to.
_BY_COLOUR = {
    "$text 60%": Role.CODE_COMMENT,
    "$text-error on $error-muted": Role.CODE_ERROR,
    "$text-accent": Role.CODE_KEYWORD,
    "bold $text-error": Role.CODE_KEYWORD,
    "bold $text-success 80%": Role.CODE_NUMBER,
    "$text-success 90%": Role.CODE_STRING,
    "$text-success 80% italic": Role.CODE_STRING,
    "$text-success": Role.CODE_STRING,
    "$text-error": Role.CODE_KEYWORD,
    "$text-warning": Role.CODE_NUMBER,
    "$text-warning underline": Role.CODE_FUNCTION,
    "$text-warning bold": Role.CODE_FUNCTION,
    "$text-primary bold": Role.CODE_FUNCTION,
    "$text-primary underline": Role.STRONG,
}
_ROLES: dict[str, Role] = {str(role): role for role in _BY_COLOUR.values()}


def lay_code(sheet: Sheet, body: CodeBody) -> None:
    """The lines of one piece; the first piece has the language and the copy mark above it."""
    sheet.ground = _GROUND
    if body.first == 0:
        sheet.draw(_head(sheet, body.code))
    room = max(sheet.text_width - 2, 1)
    before, hanging = (Run(" "),), (Run("↪", (Role.QUIET,)),)
    for runs in _coloured(body):
        text = "".join(run.text for run in runs)
        sheet.write_spans(text, runs, list(_chopped(text, room)), before, hanging)


def _head(sheet: Sheet, code: Code) -> Runs:
    link = sheet.add_target(CodeCopy(code.text))
    room = max(sheet.text_width - 2, 0)
    left = Run(" " + elided(code.language, room), (Role.QUIET,))
    copy = (Run(COPY_SIGN, (Role.QUIET,), link), Run(" "))
    return ends((left,), copy, sheet.text_width)


def _chopped(text: str, width: int) -> Iterator[Span]:
    """The lines of a line of code: nothing is left out where it is broken."""
    if text.isascii() or cell_len(text) <= width:
        step = width if text.isascii() else len(text)
        yield from (
            (at, min(at + step, len(text))) for at in range(0, max(len(text), 1), step or 1)
        )
        return
    start = used = 0
    for first, _end, cells in split_graphemes(text)[0]:
        if used and used + cells > width:
            yield start, first
            start, used = first, 0
        used += cells
    yield start, len(text)


def _coloured(body: CodeBody) -> tuple[Runs, ...]:
    code = body.code
    lines = code.lines[body.first : body.end]
    if not code.language or any(len(line) > LONGEST_COLOURED_LINE for line in lines):
        return tuple((Run(line, (_GROUND,)),) for line in lines)
    if len(code.text) > MOST_COLOURED_WHOLE:
        return _colour(code.language, lines)
    if not code.coloured:
        code.coloured.extend(_colour(code.language, code.lines))
    return tuple(code.coloured[body.first : body.end])


def _colour(language: str, lines: tuple[str, ...]) -> tuple[Runs, ...]:
    from textual.highlight import highlight

    text = "\n".join(lines)
    content = highlight(text, language=language, theme=_theme(), tab_size=_TAB)
    roles: list[Role | None] = [None] * len(text)
    if content.plain == text:
        for span in content.spans:
            role = _ROLES.get(str(span.style))
            roles[span.start : span.end] = [role] * len(roles[span.start : span.end])
    found: list[Runs] = []
    start = 0
    for line in lines:
        found.append(tuple(_line_runs(line, roles[start : start + len(line)])))
        start += len(line) + 1
    return tuple(found)


def prepare(languages: Iterable[str]) -> None:
    """Load what colours some languages: each takes some hundredths of a second, once."""
    for language in languages:
        _colour(language, ("",))


def _line_runs(line: str, roles: list[Role | None]) -> Iterator[Run]:
    done = 0
    for role, same in itertools.groupby(roles):
        end = done + sum(1 for _ in same)
        yield Run(line[done:end], (_GROUND, role) if role else (_GROUND,))
        done = end


@functools.cache
def _theme() -> type[HighlightTheme]:
    """Textual's own theme with our roles in the place of its colours."""
    from textual.highlight import HighlightTheme

    class RoleTheme(HighlightTheme):
        STYLES = {  # noqa: RUF012  (as the class it is made from has it)
            token: _BY_COLOUR[style]
            for token, style in HighlightTheme.STYLES.items()
            if style in _BY_COLOUR
        }

    return RoleTheme
