"""What the lines of a Markdown source are: which stand in code, and what is in one of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Role = Literal[
    "heading", "mark", "code", "link", "wanted", "strong", "emphasis", "tag", "quiet", "quote"
]

_FENCE = re.compile(r" {0,3}(?:[-+*>] |\d{1,9}[.)] )*(?P<run>`{3,}(?=[^`]*$)|~{3,})(?P<label>.*)")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$).*")
_RULE = re.compile(r" {0,3}(?:([-*_])[ \t]*)(?:\1[ \t]*){2,}$")
_LEAD = re.compile(
    r"[ \t]*(?P<mark>(?:>[ \t]?)+|(?:[-+*]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\](?=[ \t]))?)"
)
_KEY = re.compile(r"[^\s:#][^:]*:(?=\s|$)")
_INLINE = re.compile(
    r"(?P<code>(?<!`)(?P<ticks>`{1,3})(?!`)[^\n]{0,2000}?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<link>!?\[\[[^\[\]\n]{1,500}\]\]"
    r"|!?\[[^\[\]\n]{0,500}\]\((?:[^()\s]|\([^()\s]*\)){0,1000}(?: \"[^\"\n]{0,300}\")?\)"
    r"|<?https?://[^\s<>]{1,1000}>?|\[\^[^\[\]\s]{1,100}\])"
    r"|(?P<strong>(?<![\w*])(?P<two>\*\*|__)(?=\S)[^\n*]{1,1000}?(?<=\S)(?P=two)(?!\w))"
    r"|(?P<emphasis>(?<![\w*_])(?P<one>[*_])(?=[^\s*_])[^\n*_]{0,1000}?(?<=[^\s*_])(?P=one)(?![\w*_]))"
    r"|(?P<tag>(?:^|(?<=[\s(,;]))#(?=[^\s#]*[^\W\d])[\w/-]+)"
    r"|(?P<quiet>%%[^\n]{0,1000}?%%|<!--[^\n]{0,1000}?-->|\$[^\s$][^$\n]{0,500}\$)"
)
_MOST_COLOURED = 4000


@dataclass(frozen=True, slots=True)
class Coloured:
    """A stretch of a line, from one column to another, and what it is."""

    start: int
    end: int
    role: Role


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a line stands in: `fence` is the run that opened a code block; "-" properties."""

    fence: str = ""

    @property
    def is_prose(self) -> bool:
        """Whether Markdown means anything here."""
        return not self.fence


class LineStates:
    """For every line whether it stands in a fence; found anew only below what changed."""

    def __init__(self) -> None:
        self._states: list[str] = []

    def forget_from(self, row: int) -> None:
        """The lines from here on may be others now."""
        del self._states[max(row, 0) :]

    def at(self, lines: Sequence[str], row: int) -> Surroundings:
        """What a line stands in."""
        while len(self._states) <= row:
            at = len(self._states)
            before = self._states[-1] if at else ""
            self._states.append(_state(lines, at, before))
        # The state behind a line says what it stood in, but for the lines of the fence itself.
        opened = self._states[row - 1] if row else ""
        return Surroundings(opened or self._states[row])


def _state(lines: Sequence[str], at: int, before: str) -> str:
    """What is open behind the line `at`, when `before` was open above it."""
    line = lines[at]
    if before == "-":
        return "" if line.rstrip() in {"---", "..."} else "-"
    if at == 0 and line.rstrip() == "---":
        is_closed = any(each.rstrip() in {"---", "..."} for each in lines[1:2000])
        return "-" if is_closed else ""
    if "```" not in line and "~~~" not in line:
        return before
    found = _FENCE.match(line)
    if found is None:
        return before
    run = found["run"]
    if not before:
        return run
    is_end = run[0] == before[0] and len(run) >= len(before) and not found["label"].strip()
    return "" if is_end else before


def coloured(line: str, around: Surroundings) -> Iterator[Coloured]:
    """What is in one line, from left to right; later stretches lie over earlier ones."""
    if around.fence == "-":
        yield Coloured(0, len(line), "quiet")
        if found := _KEY.match(line):
            yield Coloured(0, found.end(), "mark")
        return
    if around.fence:
        yield Coloured(0, len(line), "code")
        return
    if _HEADING.fullmatch(line):
        yield Coloured(0, len(line), "heading")
    elif _RULE.match(line):
        yield Coloured(0, len(line), "quiet")
        return
    elif found := _LEAD.match(line):
        is_quote = found["mark"].startswith(">")
        yield Coloured(found.start("mark"), found.end("mark"), "quote" if is_quote else "mark")
    for found in _INLINE.finditer(line, 0, _MOST_COLOURED):
        yield Coloured(found.start(), found.end(), _role(found))


def is_in_code(line: str, column: int, around: Surroundings) -> bool:
    """Whether what is typed at a column is code, and not prose."""
    if not around.is_prose:
        return True
    ticks = 0
    for found in re.finditer(r"`+", line[:column]):
        ticks = len(found.group()) if not ticks else 0 if len(found.group()) == ticks else ticks
    # A lone backtick is only one when it is closed somewhere.
    return bool(ticks) and "`" * ticks in line[column:]


def _role(found: re.Match[str]) -> Role:
    roles: tuple[Role, ...] = ("code", "link", "strong", "emphasis", "tag", "quiet")
    return next(role for role in roles if found[role] is not None)
