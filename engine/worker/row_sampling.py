"""What one loaded model's rows are drawn with: samplers and processors for their wishes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import mlx.core as mx

from engine.protocol import Generate
from engine.worker.guard import Processor
from engine.worker.keyed_sampler import Sampler, make_sampler
from engine.worker.loaded_model import LoadedModel
from engine.worker.penalties import choose_penalties, make_processors
from engine.worker.sampling import GREEDY, DrawRule, choose_rule

_MOST_SAMPLERS = 64


class RowSampling:
    """Goes with its model. Rows without a seed share a sampler, and so are sampled at once."""

    def __init__(self, loaded: LoadedModel) -> None:
        self._config: Mapping[str, Any] = loaded.generation_config
        self._vocabulary_size = loaded.trial.vocabulary_size
        self._has_thinking = loaded.info.has_thinking
        protected = mx.array(protected_tokens(loaded.tokenizer, self._vocabulary_size))
        self._protected = protected.astype(mx.uint32)
        self._shared = lru_cache(_MOST_SAMPLERS)(self._make)

    def sampler(self, command: Generate) -> Sampler:
        """The sampler for a request within its bounds."""
        rule = choose_rule(
            command.sampling,
            self._config,
            self._vocabulary_size,
            is_kept_from_thinking=self._has_thinking and command.thinking is False,
        )
        seed = command.sampling.seed
        if rule == GREEDY or seed is None:
            return self._shared(rule)
        return make_sampler(rule, self._protected, seed)

    def processors(self, command: Generate) -> tuple[Processor, ...]:
        """The row's own penalties. Raises Refused for a token the model does not have."""
        penalties = choose_penalties(command.sampling, self._config)
        return make_processors(penalties, self._vocabulary_size)

    def _make(self, rule: DrawRule) -> Sampler:
        return make_sampler(rule, self._protected)


def protected_tokens(tokenizer: Any, vocabulary_size: int) -> list[int]:
    """What XTC must not leave out: the ends of an answer, and the ends of a line."""
    breaks = {
        token
        for text in ("\n", "\n\n")
        for token in tokenizer.encode(text, add_special_tokens=False)
        if "\n" in tokenizer.decode([token])
    }
    every = {*tokenizer.eos_token_ids, *breaks}
    return sorted(token for token in every if 0 <= token < vocabulary_size)
