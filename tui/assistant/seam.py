"""The place in a chat from which on a summary stands for what was said before.

A seam is a stored message like any other: its text is the summary, its branch is the one it was
made on, and deleting it has the whole chat read again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from vault.conversations.values import Draft, Extras, MessageNode

_MARK = "summarised-before"
_HEAD = "Earlier in this conversation, in short:"


def seam_draft(summary: str, kept_from: str, model: str) -> Draft:
    """A seam to be stored; messages from `kept_from` on are still read as they are."""
    extras = Extras(recalled=json.dumps({_MARK: kept_from}))
    return Draft("system", summary, model=model, extras=extras)


def is_seam(node: MessageNode) -> bool:
    """Whether a message is one."""
    return bool(_kept_from(node))


def read_from_seam(path: Sequence[MessageNode]) -> tuple[str, tuple[MessageNode, ...]]:
    """The summary that stands for the beginning of a path, and the messages that are read."""
    last = next((at for at in reversed(range(len(path))) if is_seam(path[at])), None)
    rest = tuple(node for node in path if not is_seam(node))
    if last is None or not path[last].text.strip():
        return "", rest
    kept = _kept_from(path[last])
    ids = [node.id for node in rest]
    if kept in ids:
        return path[last].text, rest[ids.index(kept) :]
    # What was to be kept is gone: all that came after the seam is.
    return path[last].text, tuple(node for node in path[last + 1 :] if not is_seam(node))


def with_summary(system_prompt: str, summary: str) -> str:
    """Instructions with the summary below them."""
    if not summary:
        return system_prompt
    told = f"{_HEAD}\n{summary.strip()}"
    return f"{system_prompt}\n\n{told}" if system_prompt else told


def _kept_from(node: MessageNode) -> str:
    if node.role != "system" or not node.extras.recalled:
        return ""
    try:
        marks = json.loads(node.extras.recalled)
    except (ValueError, RecursionError):
        return ""
    kept = marks.get(_MARK) if isinstance(marks, dict) else None
    return kept if isinstance(kept, str) else ""
