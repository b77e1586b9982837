"""What mlx-lm really allocates for small random models. A program: configurations in, facts out.

Reads {name: config} as JSON from standard input and writes model folders below the folder it is
given; writes {name: facts}. A quantized twin of every model is written as `NAME-4bit`.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten
from mlx_lm import utils
from mlx_lm.models.cache import make_prompt_cache

from engine.worker.precision import prepare_for_cpu
from engine.worker.random_model import write_random_model

CHUNK = 64
PROMPTS = (40, 5 * CHUNK)
UNLIMITED = 1 << 50
_load: Any = utils.load_model
_quantize: Any = utils.quantize_model
_save: Any = utils.save_model


def main() -> None:
    root = Path(sys.argv[1])
    facts: dict[str, Any] = {}
    for name, config in json.loads(sys.stdin.buffer.read()).items():
        plain, quantized = root / name, root / f"{name}-4bit"
        write_random_model(plain, config)
        _write_quantized(plain, quantized)
        facts[name] = {
            "stored": _stored(plain),
            "float32": _prepared(plain, is_fast=True),
            "kv": {str(prompt): held for prompt, held in _cache_bytes(plain)},
        }
        facts[quantized.name] = {
            "stored": _stored(quantized),
            "packed": _prepared(quantized, is_fast=False),
            "expanded": _prepared(quantized, is_fast=True),
        }
    sys.stdout.write(json.dumps(facts) + "\n")


def _write_quantized(source: Path, target: Path) -> None:
    model, config = _load(source)
    model, config = _quantize(model, config, 64, 4)
    target.mkdir()
    _save(target, model)
    (target / "config.json").write_text(json.dumps(config))


def _stored(folder: Path) -> int:
    parameters: Any = tree_flatten(_load(folder)[0].parameters())
    return sum(array.nbytes for _, array in parameters)


def _prepared(folder: Path, is_fast: bool) -> int:
    return prepare_for_cpu(_load(folder)[0], is_fast, UNLIMITED).weights_bytes


def _cache_bytes(folder: Path) -> Iterator[tuple[int, int]]:
    """Tokens held and the most that all caches of a float32 model held on the way there."""
    model: Any = _load(folder)[0]
    prepare_for_cpu(model, is_fast=True, usable_bytes=UNLIMITED)
    for prompt in PROMPTS:
        caches, most = make_prompt_cache(model), 0
        for length in (*_chunks(prompt), 1):
            mx.eval(model(mx.array([[1] * length]), cache=caches), [c.state for c in caches])
            most = max(most, sum(cache.nbytes for cache in caches))
        yield prompt + 1, most


def _chunks(prompt: int) -> list[int]:
    return [min(CHUNK, prompt - done) for done in range(0, prompt, CHUNK)]


if __name__ == "__main__":
    main()
