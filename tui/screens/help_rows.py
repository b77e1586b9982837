"""The rows of the help page, made from the keys that work where the focus is."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from textual.app import App
from textual.binding import ActiveBinding, Binding
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

from tui.verbs import VERBS, Verb

_PANES: Mapping[str, str] = {
    "prompt": "Writing",
    "chat": "Chat",
    "memory": "Memory gauge",
    "tree": "Tree of pages",
    "panel": "Around the article",
    "editor": "Editor",
    "page": "Article",
}
_KEYS: Mapping[str, str] = {
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "slash": "/",
    "pageup": "Page up",
    "pagedown": "Page down",
    "backspace": "Backspace",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "question_mark": "?",
    "full_stop": ".",
    "greater_than_sign": ">",
}
# The prompt reads these keys itself, before any binding is asked.
_PROMPT = (
    ("Enter", "Send; behind a backslash, break the line"),
    ("Shift+Enter, Ctrl+J, Alt+Enter", "Break the line"),
    ("↑ ↓", "In the first or the last line: earlier prompts"),
)


@dataclass(frozen=True, slots=True)
class HelpRow:
    """Keys, and what they do; `slash` is the command that does the same."""

    keys: str
    text: str
    slash: str = ""


@dataclass(frozen=True, slots=True)
class HelpSection:
    """Rows under a title."""

    title: str
    rows: tuple[HelpRow, ...]


def help_sections(screen: Screen[Any]) -> tuple[HelpSection, ...]:
    """The keys of the focused pane first, then those of the window, then what has no key."""
    active = tuple(screen.active_bindings.values())
    pane = _pane(screen.focused)
    own = [each for each in active if not _is_of_window(each)]
    ours = _rows(each for each in own if not _is_inherited(each))
    if pane == _PANES["prompt"]:
        ours = (*(HelpRow(*row) for row in _PROMPT), *ours)
    known = {verb for each in active if (verb := _verb_of(each)) is not None}
    others = [verb for verb in VERBS if verb not in known]
    # Here the pane has a use of its own for these keys, and passes them on when it has none.
    window = (*_window_rows(active), *(_verb_row(verb) for verb in others if verb.keys))
    rest = tuple(_verb_row(verb) for verb in others if not verb.keys and verb.slash)
    sections = (
        HelpSection(pane, ours),
        HelpSection("Everywhere", window),
        HelpSection("Commands for the prompt", rest),
        HelpSection(f"{pane}: moving and editing", _rows(filter(_is_inherited, own))),
    )
    return tuple(section for section in sections if section.rows)


def shown_key(key: str) -> str:
    """A key as it is called: `Ctrl+N`, `↑`, `/`."""
    parts = [_KEYS.get(part, part) for part in key.split("+")]
    return "+".join(part if len(part) == 1 and len(parts) == 1 else part.title() for part in parts)


def _pane(focused: Widget | None) -> str:
    """What the place is called where the focus is: its innermost pane."""
    for node in focused.ancestors_with_self if focused is not None else ():
        if (node.id or "") in _PANES:
            return _PANES[node.id or ""]
    return "Here"


def _verb_of(each: ActiveBinding) -> Verb | None:
    names = {each.binding.id, each.binding.action.rpartition(".")[2]}
    return next((verb for verb in VERBS if verb.id in names or verb.action in names), None)


def _is_of_window(each: ActiveBinding) -> bool:
    return isinstance(each.node, App | Screen) or _verb_of(each) is not None


def _verb_row(verb: Verb) -> HelpRow:
    keys = shown_key(verb.keys) if verb.keys else ""
    return HelpRow(keys, verb.help, f"{verb.slash} {verb.argument}".strip())


def _is_inherited(each: ActiveBinding) -> bool:
    """Whether it is one of the many keys that every text box or scrolling box has."""
    for owner in type(each.node).__mro__:
        for binding in owner.__dict__.get("BINDINGS", ()):
            action = binding.action if isinstance(binding, Binding) else binding[1]
            if action == each.binding.action:
                return owner.__module__.startswith("textual.")
    return False


def _rows(active: Iterable[ActiveBinding]) -> tuple[HelpRow, ...]:
    """One row for each thing that is done, with all its keys."""
    keys: dict[tuple[DOMNode, str], list[str]] = {}
    for each in active:
        text = each.binding.description or _told(each)
        if text:
            keys.setdefault((each.node, text), []).append(shown_key(each.binding.key))
    return tuple(
        HelpRow(", ".join(dict.fromkeys(found)), text) for (_, text), found in keys.items()
    )


def _window_rows(active: Iterable[ActiveBinding]) -> tuple[HelpRow, ...]:
    keys: dict[tuple[str, str], list[str]] = {}
    for each in active:
        binding, verb = each.binding, _verb_of(each)
        text = verb.help if verb else binding.tooltip or binding.description
        if _is_of_window(each) and text:
            slash = f"{verb.slash} {verb.argument}".strip() if verb else ""
            keys.setdefault((text, slash), []).append(shown_key(binding.key))
    return tuple(HelpRow(", ".join(found), text, slash) for (text, slash), found in keys.items())


def _told(each: ActiveBinding) -> str:
    """What the action says of itself, where its key says nothing."""
    name = each.binding.action.partition("(")[0]
    method = getattr(each.node, f"action_{name}", None)
    first = (inspect.getdoc(method) or "").partition("\n")[0] if method is not None else ""
    return first.rstrip(".")


def columns(rows: tuple[HelpRow, ...]) -> Iterator[tuple[str, HelpRow]]:
    """Each row with its first column: the keys, or the command of one without a key."""
    return ((row.keys or row.slash, row) for row in rows)
