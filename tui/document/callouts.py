"""Callouts: a quote whose first line is `[!kind] title`, folded by `-`, foldable by `+`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tui.document.roles import Role

_OPENING = re.compile(r"\[!(?P<kind>[^\[\]\n|]{1,40})(?:\|[^\]\n]*)?\](?P<fold>[+-]?)[ \t]*")
# fmt: off - one kind a line would hide the rest
_ROLES = {
    Role.CALLOUT_NOTE: ("note", "info", "todo", "abstract", "summary", "tldr", "important"),
    Role.CALLOUT_TIP: ("tip", "hint", "success", "check", "done"),
    Role.CALLOUT_WARNING: ("warning", "caution", "attention", "question", "help", "faq"),
    Role.CALLOUT_DANGER: ("danger", "error", "bug", "failure", "fail", "missing"),
}
_SIGNS = {
    Role.CALLOUT_NOTE: "ⓘ",
    Role.CALLOUT_TIP: "✓",
    Role.CALLOUT_WARNING: "!",
    Role.CALLOUT_DANGER: "✗",
    Role.CALLOUT_OTHER: "❝",
}
# fmt: on
_BY_KIND = {kind: role for role, kinds in _ROLES.items() for kind in kinds}


@dataclass(frozen=True, slots=True)
class Opening:
    """The first line of a callout, and what follows it in the same paragraph."""

    kind: str
    title: str
    is_foldable: bool
    is_folded: bool
    rest: str

    @property
    def role(self) -> Role:
        """How it looks."""
        return _BY_KIND.get(self.kind, Role.CALLOUT_OTHER)


def read_opening(paragraph: str) -> Opening | None:
    """The opening of a callout, None when the quote is a plain one."""
    found = _OPENING.match(paragraph)
    if found is None:
        return None
    first, _, rest = paragraph[found.end() :].partition("\n")
    kind, fold = found["kind"].strip(), found["fold"]
    return Opening(
        kind.casefold(), first.strip() or kind.capitalize(), bool(fold), fold == "-", rest
    )


def callout_sign(role: Role) -> str:
    """A sign that tells kinds apart without colour."""
    return _SIGNS.get(role, _SIGNS[Role.CALLOUT_OTHER])
