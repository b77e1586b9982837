"""mlx-lm's real BatchGenerator over quantized caches: every row answers as it does alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from mlx_lm.generate import BatchGenerator

from engine.worker.cache.batch_quantized import BatchQuantizedKVCache
from engine.worker.cache.batch_rotating_quantized import BatchRotatingQuantizedKVCache
from engine.worker.cache.detached import detach
from engine.worker.cache.errors import CacheError
from engine.worker.cache.quantized import QuantizedKVCache
from engine.worker.cache.rotating_quantized import RotatingQuantizedKVCache
from tests.cache.subjects import BatchKVCache, BatchRotatingKVCache, KVCache, RotatingKVCache
from tests.cache.tiny_decoders import (
    CHUNK,
    HYBRID,
    LLAMA,
    SLIDING,
    VOCABULARY,
    Answer,
    answer_alone,
    make_model,
    near_ties,
    plain_caches,
    prefill,
    quantized_caches,
)

# mlx-lm carries hardly any types.
make_generator: Any = BatchGenerator
MakeCaches = Callable[[Any], list[Any]]


def prompt_of(length: int, seed: int) -> list[int]:
    return [(seed * 31 + position * position * 7) % VOCABULARY for position in range(length)]


# (prompt tokens, answer tokens, the generator's step at which the row joins)
ROWS = [(9, 14, 0), (30, 9, 0), (1, 20, 2), (17, 12, 5), (40, 16, 9), (3, 25, 9)]


@dataclass
class Run:
    """A generator stepped by hand, with rows joining on the way."""

    model: Any
    prefill_rows: int
    answers: dict[int, list[int]] = field(default_factory=dict)
    caches: dict[int, list[Any]] = field(default_factory=dict)
    row_of: dict[int, int] = field(default_factory=dict)
    most_rows: int = 0

    def __post_init__(self) -> None:
        self.generator = make_generator(
            self.model,
            prefill_batch_size=self.prefill_rows,
            prefill_step_size=CHUNK,
            completion_batch_size=8,
        )

    def insert(self, row: int, prompt: list[int], count: int, caches: list[Any]) -> None:
        (uid,) = self.generator.insert([prompt], [count], caches=[caches])
        self.row_of[uid] = row
        self.answers[row] = []

    def step(self) -> None:
        _, responses = self.generator.next()
        self.most_rows = max(self.most_rows, len(responses))
        for response in responses:
            row = self.row_of[response.uid]
            self.answers[row].append(response.token)
            if response.finish_reason:
                self.caches[row] = response.prompt_cache


@pytest.fixture(scope="module", params=[LLAMA, SLIDING, HYBRID], ids=["full", "sliding", "hybrid"])
def model(request: pytest.FixtureRequest) -> Any:
    return make_model(request.param)


def alone(model: Any, make: MakeCaches, index: int, extra: int = 0) -> Answer:
    length, count, _ = ROWS[index]
    return answer_alone(model, make(model), prompt_of(length, index), count + extra)


def drive(run: Run, insert: Callable[[int], None]) -> None:
    for step in range(400):
        for index, (_, _, joins_at) in enumerate(ROWS):
            if joins_at == step:
                insert(index)
        run.step()
        if len(run.caches) == len(ROWS):
            return
    pytest.fail("the rows never finished")


def report(capsys: pytest.CaptureFixture[str], run: Run, ties: int) -> None:
    tokens = sum(map(len, run.answers.values()))
    with capsys.disabled():
        line = f"{len(run.answers)} rows, up to {run.most_rows} together, {tokens} tokens"
        print(f"\n  {line}: {ties} parted at a near tie")  # noqa: T201  # counted and shown


def test_rows_prefilled_by_the_generator_join_and_leave(
    model: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Full attention is prefilled jointly, right-padded; windows one row at a time."""
    kinds = {type(cache) for cache in quantized_caches(model)}
    is_sliding = RotatingQuantizedKVCache in kinds
    run = Run(model, prefill_rows=1 if is_sliding else 3)
    drive(
        run,
        lambda index: run.insert(
            index, prompt_of(ROWS[index][0], index), ROWS[index][1], quantized_caches(model)
        ),
    )
    ties = sum(
        near_ties(alone(model, quantized_caches, index), run.answers[index])
        for index in range(len(ROWS))
    )
    assert run.most_rows >= 4
    assert ties <= 1
    report(capsys, run, ties)


def test_rows_prefilled_alone_then_merged(model: Any, capsys: pytest.CaptureFixture[str]) -> None:
    run = Run(model, prefill_rows=4)

    def insert(index: int) -> None:
        prompt, caches = prompt_of(ROWS[index][0], index), quantized_caches(model)
        prefill(model, caches, prompt[:-1])
        run.insert(index, prompt[-1:], ROWS[index][1], caches)

    drive(run, insert)
    ties = sum(
        near_ties(alone(model, quantized_caches, index), run.answers[index])
        for index in range(len(ROWS))
    )
    assert run.most_rows >= 4
    assert ties <= 1
    report(capsys, run, ties)


def test_attention_sinks_survive_in_a_batch(capsys: pytest.CaptureFixture[str]) -> None:
    """A window of twelve that keeps its first four, past several wraps; mlx-lm's batch does not."""
    llama = make_model(LLAMA)

    def with_sinks(model: Any) -> list[Any]:
        return quantized_caches(model, sinks=4)

    run = Run(llama, prefill_rows=1)
    drive(
        run,
        lambda index: run.insert(
            index, prompt_of(ROWS[index][0], index), ROWS[index][1], with_sinks(llama)
        ),
    )
    ties = sum(
        near_ties(alone(llama, with_sinks, index), run.answers[index]) for index in range(len(ROWS))
    )
    assert ties <= 1
    report(capsys, run, ties)


def test_a_withdrawn_row_continues_as_if_it_had_stayed(model: Any) -> None:
    """Cancelled in the middle: its cache holds what it was fed, and the others never notice."""
    run = Run(model, prefill_rows=1)
    for index in (0, 3):
        run.insert(index, prompt_of(ROWS[index][0], index), 30, quantized_caches(model))
    while len(run.answers[3]) < 4:
        run.step()
    uid = next(uid for uid, row in run.row_of.items() if row == 0)
    removed = run.generator.remove([uid], return_prompt_caches=True)
    caches, fed = removed[uid]
    detach(caches)
    answered = list(run.answers[0])
    while len(run.answers[3]) < 12:
        run.step()
    whole = answer_alone(
        model, quantized_caches(model), prompt_of(ROWS[0][0], 0), len(answered) + 6
    )
    assert fed == prompt_of(ROWS[0][0], 0) + answered
    assert {cache.offset for cache in caches if hasattr(cache, "offset")} == {len(fed)}
    # The cache holds every token yielded: the next one's logits need one token more than that.
    last = whole.tokens[len(answered)]
    rest = answer_alone(model, caches, [last], 5)
    assert near_ties(Answer(whole.tokens[: len(answered)], whole.leads), answered) or not near_ties(
        Answer(whole.tokens[len(answered) + 1 :], whole.leads[len(answered) + 1 :]), rest.tokens
    )
    neighbour = answer_alone(model, quantized_caches(model), prompt_of(ROWS[3][0], 3), 12)
    assert near_ties(neighbour, run.answers[3][:12]) == 0


def test_joint_prefill_of_windows_is_refused_in_words() -> None:
    run = Run(make_model(SLIDING), prefill_rows=2)
    for index in (0, 1):
        run.insert(index, prompt_of(ROWS[index][0], index), 3, quantized_caches(run.model))
    with pytest.raises(CacheError, match="prefill alone, then merge"):
        run.step()


def test_rows_prefilled_jointly_in_plain_caches_decode_quantized() -> None:
    """The plain batch of a sliding model, converted at the end of the prompt, decodes the same."""
    model = make_model(SLIDING)
    prompts = [prompt_of(20, 1), prompt_of(9, 2)]
    plain = [cache.merge([cache, type_like(cache)]) for cache in plain_caches(model)]
    width = max(map(len, prompts)) - 1
    padding = [width - len(prompt) + 1 for prompt in prompts]
    for cache in plain:
        cache.prepare(lengths=[len(prompt) - 1 for prompt in prompts], right_padding=padding)
    padded = [prompt[:-1] + [0] * extra for prompt, extra in zip(prompts, padding, strict=True)]
    model(mx.array(padded), cache=plain)
    for cache in plain:
        cache.finalize()
    solos = [
        [quantize(extracted) for extracted in (cache.extract(row) for cache in plain)]
        for row in range(2)
    ]
    together = [quantize(cache) for cache in plain]
    last = [prompt[-1] for prompt in prompts]
    for _ in range(16):
        batched = np.array(model(mx.array(last)[:, None], cache=together)[:, -1])
        alone_logits = np.concatenate(
            [
                np.array(model(mx.array([[token]]), cache=caches)[:, -1])
                for token, caches in zip(last, solos, strict=True)
            ]
        )
        # Rounding of other matrix shapes; a column masked wrongly moves logits by whole units.
        assert np.abs(batched - alone_logits).max() < 0.2
        last = [int(token) for token in alone_logits.argmax(-1)]


def quantize(cache: Any) -> Any:
    """The quantized twin of a plain cache, batched or not."""
    twins: dict[Any, Any] = {
        KVCache: QuantizedKVCache,
        RotatingKVCache: RotatingQuantizedKVCache,
        BatchKVCache: BatchQuantizedKVCache,
        BatchRotatingKVCache: BatchRotatingQuantizedKVCache,
    }
    return twins[type(cache)].from_plain(cache, 32, 8)


def type_like(cache: Any) -> Any:
    """Another empty cache of the same class and window."""
    return type(cache)(cache.max_size) if hasattr(cache, "max_size") else type(cache)()
