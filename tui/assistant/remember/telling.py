"""Whether words say something by themselves."""

from __future__ import annotations

from collections.abc import Sequence

from vault.search.stop_words import without_stop_words

_OTHER = "\0"


def is_telling(words: Sequence[str]) -> bool:
    """Whether one of them is no stop word; stop words stay only where there is nothing else."""
    return len(without_stop_words((*words, _OTHER))) > 1
