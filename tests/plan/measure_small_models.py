"""What mlx-lm really allocates for small random models. A program: configurations in, facts out.

Reads {name: config} as JSON from standard input and writes model folders below the folder it is
given; writes {name: facts}. A quantized twin of every model is written as `NAME-4bit`.
"""

import json
import sys
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
        facts[name] = _plain_facts(plain)
        facts[quantized.name] = _quantized_facts(quantized)
    sys.stdout.write(json.dumps(facts) + "\n")


def _write_quantized(source: Path, target: Path) -> None:
    model, config = _load(source)
    model, config = _quantize(model, config, 64, 4)
    target.mkdir()
    _save(target, model)
    (target / "config.json").write_text(json.dumps(config))


def _plain_facts(folder: Path) -> dict[str, Any]:
    model = _load(folder)[0]
    stored = _bytes_of(model)
    float32 = prepare_for_cpu(model, is_fast=True, usable_bytes=UNLIMITED).weights_bytes
    held = {str(prompt + 1): _most_held(model, prompt) for prompt in PROMPTS}
    return {"stored": stored, "float32": float32, "kv": held}


def _quantized_facts(folder: Path) -> dict[str, Any]:
    model = _load(folder)[0]
    stored = _bytes_of(model)
    packed = prepare_for_cpu(model, is_fast=False, usable_bytes=UNLIMITED).weights_bytes
    expanded = prepare_for_cpu(_load(folder)[0], True, UNLIMITED).weights_bytes
    return {"stored": stored, "packed": packed, "expanded": expanded}


def _bytes_of(model: Any) -> int:
    parameters: Any = tree_flatten(model.parameters())
    return sum(array.nbytes for _, array in parameters)


def _most_held(model: Any, prompt: int) -> int:
    """The most that all caches held on the way through a prompt and one token more."""
    caches, most = make_prompt_cache(model), 0
    for length in (*_chunks(prompt), 1):
        mx.eval(model(mx.array([[1] * length]), cache=caches), [c.state for c in caches])
        most = max(most, sum(cache.nbytes for cache in caches))
    return most


def _chunks(prompt: int) -> list[int]:
    return [min(CHUNK, prompt - done) for done in range(0, prompt, CHUNK)]


if __name__ == "__main__":
    main()
