"""What holding an answer to a form costs, end to end: the same tokens with the form and without.

`python -P -m engine.worker.mask_cost CONFIG_JSON MODEL_FOLDER` reads a `MaskTask` as JSON from its
standard input. One answer is held to the form; then its tokens are said again in turns, a few
steps with the form and a few without, so that both meet the same machine. One JSON document
(`MaskCost`). What is said depends on the model's logits all the same: no step begins early.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from engine.compute import ComputePath
from engine.config import EngineConfig, decode_config
from engine.mask_cost import MaskCost, MaskTask, MaskTurn
from engine.worker.blas import activate

_BLOCK = 6
"""Steps one side makes before the other has its turn."""


def main(arguments: Sequence[str]) -> None:
    """Measure and print."""
    config = decode_config(arguments[0])
    task = msgspec.json.decode(sys.stdin.buffer.read(), type=MaskTask)
    # Before MLX is imported.
    compute = activate(Path(config.cache_dir) / "blas", config.blas, config.threads)
    rounds = _measure(config, compute, arguments[1], task)
    sys.stdout.buffer.write(msgspec.json.encode(MaskCost(compute.kind, rounds)) + b"\n")


def _measure(
    config: EngineConfig, compute: ComputePath, folder: str, task: MaskTask
) -> tuple[tuple[MaskTurn, ...], ...]:
    import mlx.core as mx
    from mlx_lm.generate import generation_stream

    from engine.protocol import LoadModel
    from engine.worker.cache.attention_patch import install_attention
    from engine.worker.loaded_model import load_model

    install_attention(compute.kind)
    usable = config.memory_limit_bytes or sys.maxsize
    loaded = load_model(LoadModel(0, folder), compute, usable, lambda _: None)
    with mx.stream(generation_stream):
        sides = _Sides(loaded, task)
        said = sides.say()
        return tuple(tuple(sides.compare(said)) for _ in range(task.rounds))


class _Sides:
    """Makes decoding rows of one question."""

    def __init__(self, loaded: Any, task: MaskTask) -> None:
        from engine.protocol import NO_REQUEST, Generate, JsonSchema, Message
        from engine.worker.structured import Structured

        self._loaded = loaded
        self._tokens = task.tokens
        question = (Message("user", task.question),)
        self._command = Generate(
            NO_REQUEST, question, grammar=JsonSchema(task.schema), thinking=False
        )
        self._structured = Structured(loaded.tokenizer, loaded.markup, loaded.trial.vocabulary_size)
        self._prompt = tuple(loaded.turns.write(question, False))

    def say(self) -> list[int]:
        """The likeliest answer that keeps to the form."""
        import mlx.core as mx

        group = self._group(True, lambda logprobs: mx.argmax(logprobs, axis=-1))
        return [group.step()[0].token for _ in range(self._tokens)]

    def compare(self, said: Sequence[int]) -> Iterator[MaskTurn]:
        """Say it again on both sides in turns."""
        held, free = (_Side(self._group(has_form, _repeating(said))) for has_form in (True, False))
        # The first of all steps was begun when the row was made.
        for side in (held, free):
            side.run(1)
        order = [held, free]
        for _ in range(1, len(said) - _BLOCK, _BLOCK):
            before = held.mask_seconds
            seconds = {side: side.run(_BLOCK) for side in order}
            yield MaskTurn(_BLOCK, seconds[held], seconds[free], held.mask_seconds - before)
            order.reverse()

    def _group(self, has_form: bool, sampler: Callable[[Any], Any]) -> Any:
        import mlx.core as mx

        from engine.serving.kv_budget import Claim
        from engine.worker.cache.detached import detach
        from engine.worker.decode_group import DecodeGroup
        from engine.worker.prefilled import Prefilled
        from engine.worker.row import Request, Row
        from engine.worker.text_stream import TextStream

        loaded, prompt = self._loaded, self._prompt
        constraint = self._structured.constraint(self._command, prompt) if has_form else None
        request = Request(
            command=self._command,
            prompt=prompt,
            claim=Claim(len(prompt), self._tokens, lambda _: 0),
            sampler=sampler,
            text=TextStream(loaded.markup),
            window=loaded.info.context_limit,
            constraint=constraint,
        )
        caches = loaded.kv.scheme.make()
        loaded.model(mx.array([prompt[:-1]]), cache=caches)
        detach(caches)
        tools = _Tools(loaded.model, loaded.kv.scheme)
        return DecodeGroup(tools, [Prefilled([Row(request)], caches, is_batch=False)])


@dataclass(frozen=True, slots=True)
class _Tools:
    """What a group of rows decodes with."""

    model: Any
    scheme: Any


class _Side:
    """One row that decodes."""

    def __init__(self, group: Any) -> None:
        self._group = group

    @property
    def mask_seconds(self) -> float:
        constraint = self._group.rows[0].constraint
        return 0.0 if constraint is None else float(constraint.seconds)

    def run(self, steps: int) -> float:
        """The seconds of so many steps."""
        import mlx.core as mx
        from mlx_lm.generate import generation_stream

        began = time.perf_counter()
        for _ in range(steps):
            self._group.step()
        # The step begun ahead belongs to the side that began it.
        mx.synchronize(generation_stream)
        return time.perf_counter() - began


def _repeating(said: Sequence[int]) -> Callable[[Any], Any]:
    import mlx.core as mx

    left = iter(said)

    def sampler(logprobs: Any) -> Any:
        # What would be said comes first: no step may begin before the logits of the last one.
        drawn = mx.argmax(logprobs, axis=-1)
        return mx.where(drawn < 0, drawn, mx.array([next(left, 0)], drawn.dtype))

    return sampler


if __name__ == "__main__":
    main(sys.argv[1:])
