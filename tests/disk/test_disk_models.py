"""Restored rows of whole models: every kind of layer decodes on to the same bits."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.worker.cache.detached import detach
from engine.worker.cache_entry import Entry, token_array
from engine.worker.cache_scheme import CacheScheme
from engine.worker.trial import run_trial
from tests.cache.tiny_decoders import (
    HYBRID,
    LLAMA,
    SLIDING,
    make_model,
    plain_caches,
    prefill,
    quantized_caches,
)
from tests.disk.disk_tools import KEY, opened, read_whole

SHORT, LONG = 33, 70


@pytest.mark.parametrize("tokens", [SHORT, LONG])
@pytest.mark.parametrize("make", [plain_caches, quantized_caches], ids=["plain", "quantized"])
@pytest.mark.parametrize("config", [LLAMA, SLIDING, HYBRID], ids=["full", "sliding", "hybrid"])
def test_a_restored_row_decodes_on_exactly_as_the_row_itself(
    config: dict[str, Any], make: Any, tokens: int, tmp_path: Path
) -> None:
    model = make_model(config)
    looks = run_trial(model, CacheScheme(partial(make, model))).looks
    prompt = [(place * 7) % 90 for place in range(tokens)]
    caches = make(model)
    prefill(model, caches, prompt[:-3])
    for token in prompt[-3:]:
        model(mx.array([[token]]), cache=caches)
    detach(caches)
    entry = Entry(KEY, token_array(prompt), caches, {"chat"})
    tier = opened(tmp_path, looks=looks)
    tier.offer(entry)
    assert tier.flush(30).is_durable
    held = opened(tmp_path, looks=looks).longest(KEY, [*prompt, 1], 0)
    restored = read_whole(held)
    assert restored is not None
    for fed in ([5], [9], [1, 2, 3], [4]):
        chunk = mx.array([fed])
        ours, theirs = (model(chunk, cache=each) for each in (restored[1], caches))
        assert bool(mx.array_equal(ours, theirs))
