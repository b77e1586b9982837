"""mlx-lm's own batching of some rows, as the other side of a comparison.

`python -P -m engine.worker.naive_batch CONFIG_JSON MODEL_FOLDER LIMIT` reads
`[[prompt, tokens], …]` from standard input, inserts all rows into one `BatchGenerator` with its
defaults and prints the seconds until the last one is done, or until it was stopped after `LIMIT`
seconds. Model, matrix library and weights are the engine's.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from engine.compute import ComputePath
from engine.config import EngineConfig, decode_config
from engine.protocol import LoadModel, Message
from engine.worker.blas import activate

ROWS_AT_ONCE = 8


def main(arguments: Sequence[str]) -> None:
    """Measure and print."""
    config = decode_config(arguments[0])
    rows = msgspec.json.decode(sys.stdin.buffer.read(), type=list[tuple[str, int]])
    # Before MLX is imported.
    compute = activate(Path(config.cache_dir) / "blas", config.blas, config.threads)
    seconds = _measure(config, compute, arguments[1], rows, float(arguments[2]))
    sys.stdout.write(f"{seconds}\n")
    sys.stdout.flush()
    os._exit(0)  # the timer may still wait


def _measure(
    config: EngineConfig,
    compute: ComputePath,
    folder: str,
    rows: Sequence[tuple[str, int]],
    limit: float,
) -> float:
    from mlx_lm.generate import BatchGenerator

    from engine.worker.loaded_model import load_model

    usable = config.memory_limit_bytes or sys.maxsize
    loaded = load_model(LoadModel(0, folder), compute, usable, lambda _: None)
    prompts = [loaded.turns.write((Message("user", text),)) for text, _ in rows]
    generator: Any = BatchGenerator(
        loaded.model, completion_batch_size=ROWS_AT_ONCE, prefill_batch_size=ROWS_AT_ONCE
    )
    _run(generator, prompts[:1], [2])
    began = time.perf_counter()
    threading.Timer(limit, _give_up, (limit,)).start()
    _run(generator, prompts, [tokens for _, tokens in rows])
    return time.perf_counter() - began


def _run(generator: Any, prompts: Sequence[list[int]], tokens: Sequence[int]) -> None:
    """Every row to its end."""
    left = set(generator.insert(list(prompts), list(tokens)))
    while left:
        left -= {each.uid for each in generator.next_generated() if each.finish_reason}


def _give_up(limit: float) -> None:
    """End the process: one step of it may take longer than all of the other side's work."""
    sys.stdout.write(f"{limit}\n")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
