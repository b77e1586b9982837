"""Plain mlx-lm, nothing of ours: the other side of every speed comparison.

`python -P -m engine.worker.baseline MODEL_FOLDER PROMPT_TOKENS DECODE_TOKENS` loads the folder
with `mlx_lm.load`, runs `stream_generate` with its defaults and prints one JSON line (`Speeds`).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import msgspec
from mlx_lm import load, stream_generate

_PASSAGE = (
    "The lighthouse keeper wrote down the wind, the tide and every ship that passed, and in the "
    "evening he read the page again and added what he had forgotten: a gull with one leg, the "
    "smell of tar, a letter that came three years late. "
)
_WARM_UP_TOKENS = 8


class Speeds(msgspec.Struct, frozen=True):
    """What was run and how fast, in tokens a second."""

    mlx_lm: str
    prompt_tokens: int
    decode_tokens: int
    prefill_tps: float
    decode_tps: float


def _prompt(tokenizer: Any, length: int) -> list[int]:
    """Exactly `length` tokens of running text."""
    tokens: list[int] = []
    while len(tokens) < length:
        tokens += tokenizer.encode(_PASSAGE, add_special_tokens=False)
    return tokens[:length]


def _run(model: Any, tokenizer: Any, prompt: list[int], decode_tokens: int) -> list[float]:
    """Seconds after which each token was there: a Python number by then, so MLX computed it."""
    stamps = []
    start = time.perf_counter()
    for _ in stream_generate(model, tokenizer, prompt, max_tokens=decode_tokens):
        stamps.append(time.perf_counter() - start)
    return stamps


def measure(folder: str, prompt_tokens: int, decode_tokens: int) -> Speeds:
    """Load the model, warm it up and time one greedy answer of exactly `decode_tokens` tokens."""
    model, tokenizer, *_ = load(folder)
    # An early end would leave too few tokens to time; no token costs less for being an end.
    tokenizer.eos_token_ids = ()
    _run(model, tokenizer, _prompt(tokenizer, _WARM_UP_TOKENS), 2)
    first, *others = _run(model, tokenizer, _prompt(tokenizer, prompt_tokens), decode_tokens)
    return Speeds(
        mlx_lm=version("mlx-lm"),
        prompt_tokens=prompt_tokens,
        decode_tokens=1 + len(others),
        prefill_tps=prompt_tokens / first,
        decode_tps=len(others) / (others[-1] - first) if others else 0.0,
    )


def main(arguments: Sequence[str]) -> int:
    """Measure and print; 2 when the arguments make no sense."""
    try:
        folder, prompt_tokens, decode_tokens = arguments[0], int(arguments[1]), int(arguments[2])
    except (IndexError, ValueError):
        prompt_tokens = decode_tokens = 0
    if prompt_tokens < 1 or decode_tokens < 1 or len(arguments) != 3:
        sys.stderr.write("Give MODEL_FOLDER PROMPT_TOKENS DECODE_TOKENS, both counts above 0.\n")
        return 2
    speeds = measure(folder, prompt_tokens, decode_tokens)
    sys.stdout.write(msgspec.json.encode(speeds).decode() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
