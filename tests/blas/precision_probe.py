"""Prepares tiny random models in a process of its own and prints what became of them as JSON.

Arguments: the cache folder, ZIB_BLAS (`off` or empty), and how much the weights may occupy:
`all`, `none`, or a number of bytes.
"""

import json
import math
import sys
from pathlib import Path
from typing import Any

from engine.worker.blas import activate

compute = activate(Path(sys.argv[1]), sys.argv[2] or None)

import mlx.core as mx
from mlx.nn.layers.base import Module
from mlx.nn.layers.linear import Linear
from mlx.utils import tree_flatten, tree_map
from mlx_lm.generate import generate_step
from mlx_lm.models import llama
from mlx_lm.models.switch_layers import SwitchLinear
from mlx_lm.utils import quantize_model

from engine.plan.cpu_form import LOADABLE_MEMORY_SHARE
from engine.worker.precision import prepare_for_cpu

CONFIG: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 64,
    "num_hidden_layers": 3,
    "intermediate_size": 160,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "rms_norm_eps": 1e-5,
    "vocab_size": 512,
    "tie_word_embeddings": True,
    "attention_bias": True,
}


def random_model(is_quantized: bool, **changes: object) -> Any:
    """A float16 llama, quantized like the built-in one when asked."""
    mx.random.seed(11)
    llama_module: Any = llama  # mlx-lm is untyped
    model = llama_module.Model(llama_module.ModelArgs.from_dict(CONFIG | changes))
    model.update(tree_map(lambda array: (array * 2).astype(mx.float16), model.parameters()))
    if is_quantized:
        model, _ = quantize_model(model, dict(CONFIG), 32, 4, quant_predicate=_bits)
    mx.eval(model.parameters())
    return model


def _bits(path: str, module: Any) -> bool | dict[str, int]:
    if "embed" in path:
        return {"group_size": 32, "bits": 8}
    return hasattr(module, "to_quantized")


def greedy_tokens(model: Any) -> list[int]:
    prompt = mx.array([3, 141, 59, 26, 5, 35, 89, 79, 323, 84, 6, 264])
    return [int(token) for token, _ in generate_step(prompt, model, max_tokens=40)]


def report(model: Any, usable: int) -> dict[str, object]:
    prepared = prepare_for_cpu(model, compute.is_fast, usable)
    named: Any = tree_flatten(model.parameters())
    arrays = {id(array): array for _, array in named}.values()
    return {
        "bytes": prepared.weights_bytes,
        "held": sum(array.nbytes for array in arrays),
        "description": prepared.description,
        "types": sorted({str(array.dtype).removeprefix("mlx.core.") for array in arrays}),
        "tokens": greedy_tokens(model),
    }


def switch_error(usable: int) -> float:
    """How far a prepared mixture-of-experts layer is from the expanded weights."""
    layer = SwitchLinear(64, 48, 4, bias=True)
    packed = layer.to_quantized(32, 4)

    untyped_module: Any = Module
    holder = untyped_module()
    holder.experts = packed
    weight = mx.dequantize(packed.weight, packed.scales, packed.biases, 32, 4)
    x, index = mx.random.normal((1, 1, 64)), mx.array([[2]])
    expected = x @ weight[2].T + packed.bias[2]
    prepare_for_cpu(holder, True, usable)
    return float(mx.abs(holder.experts(x, index).reshape(-1) - expected.reshape(-1)).max())


def expansions_alive(usable: int) -> float:
    """How many expanded matrices a prompt of eight tokens holds at once in eight layers."""
    untyped_module: Any = Module
    holder = untyped_module()
    holder.layers = [Linear(512, 512, bias=False).to_quantized(32, 4) for _ in range(8)]
    mx.eval(holder.parameters())
    prepare_for_cpu(holder, True, usable)
    mx.clear_cache()
    mx.reset_peak_memory()
    before = mx.get_active_memory()
    x = mx.ones((1, 8, 512))
    for layer in holder.layers:
        x = layer(x)
    mx.eval(x)
    return (mx.get_peak_memory() - before) / (512 * 512 * 4)


def head_type(usable: int) -> str:
    """What the matrix that makes the logits has become, in a model that has its own."""
    model = random_model(True, tie_word_embeddings=False)
    prepare_for_cpu(model, compute.is_fast, usable)
    return type(model.lm_head).__name__


def main() -> None:
    usable = {"all": 1 << 60, "none": 0}.get(sys.argv[3])
    usable = math.ceil(int(sys.argv[3]) / LOADABLE_MEMORY_SHARE) if usable is None else usable
    answer = {
        "is_fast": compute.is_fast,
        "quantized": report(random_model(True), usable),
        "half": report(random_model(False), usable),
        "switch_error": switch_error(usable),
        "head": head_type(usable),
        "expansions_alive": expansions_alive(usable),
    }
    sys.stdout.write(json.dumps(answer) + "\n")


main()
