"""What the prompt cache keeps: tokens, the caches that hold them, and whose they are."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

EntryKind = Literal["turn", "checkpoint", "instructions"]
"""Where a row ended, where a part of its prompt ended, or where a group's instructions end."""


@dataclass(frozen=True, slots=True)
class CacheKey:
    """What has to be the same for a cache to mean the same; every part is a short text.

    `model` names the weights, their files and the form they were loaded in; `kv` how keys and
    values are stored.
    """

    model: str
    tokenizer: str
    template: str
    adapter: str
    kv: str


@dataclass(eq=False, slots=True, weakref_slot=True)
class Entry:
    """One kept prefix. `caches` is None once they went to a row or were forgotten.

    `owners` are the conversations and prefix groups that use all of it: without any of them it is
    dropped. `asked` names the messages it answers: their number and their hash. Arrays of a cache
    are never changed in place while somebody else refers to them, so whoever holds `caches` for a
    while reads what was kept.
    """

    key: CacheKey
    tokens: array[int]
    caches: list[Any] | None
    owners: set[str]
    is_temporary: bool = False
    kind: EntryKind = "turn"
    used_at: float = 0.0
    asked: tuple[int, int] = (0, 0)
    _measured: int | None = field(default=None, init=False)

    @property
    def nbytes(self) -> int:
        """Bytes of its caches, which nobody changes as long as they are kept."""
        if self.caches is None:
            return 0
        if self._measured is None:
            self._measured = bytes_of(self.caches)
        return self._measured

    @property
    def is_trimmable(self) -> bool:
        """Whether its last tokens can be taken back; a moved window or a recurrent state cannot."""
        return self.caches is not None and are_trimmable(self.caches)


def token_array(tokens: Iterable[int]) -> array[int]:
    """Four bytes a token."""
    return array("i", tokens)


def bytes_of(caches: Sequence[Any]) -> int:
    """Bytes of all layers; an empty layer of some classes cannot tell, and has none."""
    return sum(0 if layer.empty() else int(layer.nbytes) for layer in caches)


def are_trimmable(caches: Iterable[Any]) -> bool:
    """Whether every layer can take tokens back and go on as if they had never been there."""
    return all(map(_is_trimmable, caches))


def _is_trimmable(layer: Any) -> bool:
    if hasattr(layer, "caches"):
        return are_trimmable(layer.caches)
    # mlx-lm's cache of chunks says yes also when the chunk before is gone.
    return bool(layer.is_trimmable()) and not getattr(layer, "start_position", 0)
