"""The order between a token's output and the next state changes memory, and no number."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import pytest
from mlx_lm.models import gated_delta

from engine.worker.stepped_delta import order_delta_steps

HEADS, SIZE = 4, 64
STATE_BYTES = HEADS * SIZE * SIZE * 4


def measured(tokens: int) -> tuple[mx.array, mx.array, int]:
    """Outputs, last state and peak of one chunk of random tokens."""
    mx.random.seed(1)
    shape = (1, tokens, HEADS, SIZE)
    queries, keys, values = (mx.random.normal(shape) for _ in range(3))
    gate, beta = (mx.random.uniform(shape=(1, tokens, HEADS)) for _ in range(2))
    state = mx.zeros((1, HEADS, SIZE, SIZE))
    mx.eval(queries, keys, values, gate, beta, state)
    mx.clear_cache()
    before = mx.get_active_memory()
    mx.reset_peak_memory()
    ops: Any = gated_delta.gated_delta_ops
    output, last = ops(queries, keys, values, gate, beta, state)
    mx.eval(output, last)
    return output, last, mx.get_peak_memory() - before


def test_a_chunk_holds_few_states_and_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    step = gated_delta._gated_delta_step_ops
    monkeypatch.setattr(gated_delta, "_gated_delta_step_ops", getattr(step, "unordered", step))
    output, last, peak = measured(128)
    order_delta_steps()
    order_delta_steps()
    ordered_output, ordered_last, ordered_peak = measured(128)
    assert mx.array_equal(output, ordered_output).item()
    assert mx.array_equal(last, ordered_last).item()
    assert peak > 100 * STATE_BYTES
    assert ordered_peak < 24 * STATE_BYTES
