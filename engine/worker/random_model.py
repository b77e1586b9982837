"""Writes small model folders of any family mlx-lm knows, with random weights.

`python -P -m engine.worker.random_model PLACE` reads `{name: config}` as JSON from standard input
and writes PLACE/name for each. The weights come from mlx-lm's own class of that family, so their
names and shapes are right; the tokenizer has one token a byte and fits any vocabulary of
`LEAST_VOCABULARY` or more.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten, tree_map
from mlx_lm import utils as mlx_lm_utils
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

SEED = 7
END, START = "<|im_end|>", "<|im_start|>"
LEAST_VOCABULARY = 258
# The user's text alone: its length in bytes is the prompt's length in tokens, but for START.
TEMPLATE = "{{ bos_token }}{% for message in messages %}{{ message.content }}{% endfor %}"

# Private, but the only place that knows every family's class; mlx-lm carries hardly any types.
_find_family: Any = mlx_lm_utils._get_classes


def write_random_model(folder: Path, config: dict[str, Any]) -> None:
    """Write the folder, the same every time. Floating weights get the config's `torch_dtype`.

    Raises ValueError for a family mlx-lm does not know.
    """
    folder.mkdir(parents=True, exist_ok=True)
    model_class, arguments_class = _find_family(config)
    mx.random.seed(SEED)
    model = model_class(arguments_class.from_dict(config))
    precision: mx.Dtype = getattr(mx, config.get("torch_dtype", "float32"))
    weights: Any = tree_flatten(tree_map(lambda array: _cast(array, precision), model.parameters()))
    mx.save_safetensors(str(folder / "model.safetensors"), dict(weights), {"format": "mlx"})
    _write_tokenizer(folder)
    (folder / "config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")


def _cast(array: mx.array, precision: mx.Dtype) -> mx.array:
    return array.astype(precision) if mx.issubdtype(array.dtype, mx.floating) else array


def _write_tokenizer(folder: Path) -> None:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(
        models.BPE(vocab={letter: index for index, letter in enumerate(alphabet)}, merges=[])
    )
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(name, normalized=False) for name in (END, START)])
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": END,
        "bos_token": START,
        "clean_up_tokenization_spaces": False,
        "chat_template": TEMPLATE,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")


if __name__ == "__main__":
    for _name, _config in json.loads(sys.stdin.buffer.read()).items():
        write_random_model(Path(sys.argv[1]) / _name, _config)
