"""The prompt index and mlx-lm's own search on the same entries, in several cases.

`python -P -m engine.worker.index_comparison ENTRIES TOKENS PATIENCE` prints a JSON array a line for
each case: its name, the seconds of our lookup and of mlx-lm's, which is stopped after so many
seconds of patience.
"""

from __future__ import annotations

import gc
import json
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any

from mlx_lm.models import cache as mlx_caches

from engine.worker.cache_entry import token_array
from engine.worker.prompt_index import PromptIndex

SEED = 7
LOOKUPS = 5
_VOCABULARY = 50_000

# mlx-lm carries hardly any types.
_TheirCache: Any = mlx_caches.LRUPromptCache
_KV: Any = mlx_caches.KVCache


def main(arguments: Sequence[str]) -> None:
    """Measure and print."""
    entries, tokens, patience = int(arguments[0]), int(arguments[1]), float(arguments[2])
    for name, sequences, prompt in _cases(entries, tokens):
        line = [name, _ours(sequences, prompt), _theirs(sequences, prompt, patience)]
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
        gc.collect()


def _cases(entries: int, tokens: int) -> Iterator[tuple[str, list[list[int]], list[int]]]:
    dice = random.Random(SEED)

    def fresh(count: int) -> list[int]:
        return [dice.randrange(_VOCABULARY) for _ in range(count)]

    prompt = fresh(tokens)
    steps = [tokens * (step + 1) // entries for step in range(entries)]
    parting: dict[str, Callable[[int], int]] = {
        "part early": lambda _: 5,
        "part late": lambda _: tokens - 10,
        "part one after the other": lambda entry: steps[entry],
    }
    for name, place_of in parting.items():
        places = [place_of(entry) for entry in range(entries)]
        yield name, [prompt[:place] + fresh(tokens - place) for place in places], prompt
    yield "are beginnings", [prompt[:place] for place in steps], prompt
    yield "go on", [prompt + fresh(10) for _ in range(entries)], prompt


def _ours(sequences: Sequence[list[int]], prompt: list[int]) -> float:
    index: PromptIndex[int] = PromptIndex()
    for number, sequence in enumerate(sequences):
        index.put(token_array(sequence), number)
    return median(
        _seconds(lambda: next(index.nearest(token_array(prompt)), None)) for _ in range(LOOKUPS)
    )


def _theirs(sequences: Sequence[list[int]], prompt: list[int], patience: float) -> float:
    cache = _TheirCache(max_size=len(sequences) + 1)
    gc.disable()  # Millions of small dictionaries are no garbage.
    for sequence in sequences:
        cache.insert_cache("model", sequence, [_KV()])
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, patience)
    try:
        return _seconds(lambda: cache.fetch_nearest_cache("model", prompt))
    except TimeoutError:
        return patience
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        gc.enable()


def _stop(number: int, frame: object) -> None:
    raise TimeoutError


def _seconds(look_up: Callable[[], object]) -> float:
    began = time.perf_counter()
    look_up()
    return time.perf_counter() - began


if __name__ == "__main__":
    main(sys.argv[1:])
