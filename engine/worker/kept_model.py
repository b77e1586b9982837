"""What keeping caches has to know of the loaded model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from engine.protocol import Generate, Message
from engine.worker.cache_entry import CacheKey
from engine.worker.cache_key import cache_key
from engine.worker.checkpoints import Render
from engine.worker.loaded_model import LoadedModel
from engine.worker.own_spelling import Spelling, spelling_of
from engine.worker.turns import TurnWriter


@dataclass(frozen=True, slots=True)
class KeptModel:
    """`render` makes tokens of messages as a request wants them.

    `blank` are empty caches of a row, `limit` is the context a conversation is granted, and
    `is_bounded` whether memory bounds what may be kept.
    """

    key: CacheKey
    spelling: Spelling
    render: Callable[[Generate], Render]
    blank: Sequence[Any]
    limit: int
    is_bounded: bool


def kept_model(loaded: LoadedModel) -> KeptModel:
    """For a model that is ready to answer."""
    return KeptModel(
        key=cache_key(loaded),
        spelling=spelling_of(loaded.tokenizer, loaded.prompts.control.ids),
        render=partial(_render, loaded.turns),
        blank=loaded.kv.scheme.make(),
        limit=loaded.info.context_limit,
        is_bounded=not loaded.is_forced,
    )


def _render(turns: TurnWriter, command: Generate) -> Render:
    def render(messages: Sequence[Message], is_open: bool) -> list[int]:
        return turns.write(messages, command.thinking, command.tools, is_open=is_open)

    return render
