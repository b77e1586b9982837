"""What a conversation holds of the wiki already."""

from __future__ import annotations

from collections.abc import Sequence

from tui.assistant.recall.record import Passage, record_of
from tui.assistant.recall.wording import plain
from tui.assistant.seam import read_from_seam
from vault.conversations.values import MessageNode
from vault.recall.values import Candidate

_MOST_BEFORE = 300
_CUT = " …\n"


class Earlier:
    """The messages before a question, from the first to the last."""

    def __init__(self, path: Sequence[MessageNode]) -> None:
        whole = [each for node in path for each in _passages(node)]
        _, read = read_from_seam(path)
        self._read = [each for node in read for each in _passages(node) if not each.is_dropped]
        self._dropped = {each.place for each in whole if each.is_dropped}
        self._pinned = [each for each in whole if each.is_pinned and not each.is_dropped]
        self.question = next(
            (node.text[:_MOST_BEFORE] for node in reversed(path) if node.role == "user"), ""
        )

    @property
    def pinned(self) -> tuple[Passage, ...]:
        """What the user pinned and the model would not read any more."""
        read = {each.shown for each in self._read}
        kept = {each.shown: each for each in self._pinned if each.shown not in read}
        return tuple(kept.values())

    def is_wanted(self, candidate: Candidate) -> bool:
        """Whether it is neither there, unchanged, nor was dropped."""
        if (candidate.path, candidate.anchor) in self._dropped:
            return False
        brief = plain(candidate.texts[0])[0].strip(_CUT)
        return not any(each.path == candidate.path and brief in each.shown for each in self._read)


def _passages(node: MessageNode) -> tuple[Passage, ...]:
    record = record_of(node)
    return record.passages if record else ()
