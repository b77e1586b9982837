"""What the user said in a whole chat that is worth keeping."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tui.assistant.remember.material import Material, NothingToRemember, origin_of
from tui.assistant.remember.pictures import without_far_pictures
from tui.assistant.remember.small_questions import is_lasting
from tui.assistant.side_question import RunningEngine
from tui.text.sanitise import to_display
from vault.conversations.values import MessageNode

MOST_ASKED = 40
_FEWEST_WORDS = 3
_LONGEST = 1500
_TOO_FEW_TO_TELL = 3


async def statements_of(
    engine: RunningEngine,
    path: Sequence[MessageNode],
    tell: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[MessageNode, ...]:
    """The user's messages that state something lasting; all statements where nobody can tell.

    `tell` hears how far it is. A model that says the same of everything has told nothing.
    Raises NothingToRemember.
    """
    stated = [node for node in path if node.role == "user" and _may_state(node.text)]
    stated = stated[-MOST_ASKED:]
    if not stated:
        raise NothingToRemember(
            "In this chat you only asked; /remember with a text proposes just that text, and s on"
            " a chosen answer the answer."
        )
    told: list[bool | None] = []
    for place, node in enumerate(stated):
        tell(place, len(stated))
        told.append(await is_lasting(engine, node.text))
    has_told = None not in told and (len(set(told)) > 1 or len(told) < _TOO_FEW_TO_TELL)
    kept = [node for node, is_kept in zip(stated, told, strict=True) if is_kept]
    return tuple(kept) if has_told and kept else tuple(stated)


def gathered(nodes: Sequence[MessageNode], name: str, is_temporary: bool) -> Material:
    """The messages as a list of quotations, in the order they were said."""
    lines = [f"- “{' '.join(to_display(node.text)[:_LONGEST].split())}”" for node in nodes]
    origin = origin_of(nodes[0], is_temporary)
    reason = "What you stated in a chat"
    text = without_far_pictures("\n".join(lines))
    return Material(text, name, origin, is_statement=False, reason=reason)


def _may_state(text: str) -> bool:
    text = text.strip()
    # Some languages write no blanks.
    has_words = len(text.split()) >= _FEWEST_WORDS or (not text.isascii() and len(text) > 5)
    return has_words and not text.endswith(("?", "？"))
