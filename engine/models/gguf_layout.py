"""The tensors of a llama model: their GGUF and mlx-lm names, their shapes, their packing."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.errors import ModelUnavailable
from engine.models.gguf_header import TensorInfo

GROUP_SIZE = 32
BITS = {"Q4_0": 4, "Q4_1": 4, "Q8_0": 8}

NAMES_OUTSIDE_LAYERS = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
}
NAMES_IN_LAYER = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


@dataclass(frozen=True, slots=True)
class LlamaShape:
    """The sizes of one llama model."""

    layers: int
    hidden: int
    intermediate: int
    heads: int
    key_value_heads: int
    head: int
    vocabulary: int
    context: int
    rope_base: float
    norm_epsilon: float
    has_tied_embeddings: bool


def mlx_name(tensor_name: str) -> str:
    """`blk.3.attn_q.scales` -> `model.layers.3.self_attn.q_proj.scales`."""
    module, _, part = tensor_name.rpartition(".")
    if not module.startswith("blk."):
        return f"{NAMES_OUTSIDE_LAYERS[module]}.{part}"
    _, layer, name = module.split(".")
    return f"model.layers.{layer}.{NAMES_IN_LAYER[name]}.{part}"


def check_tensors(tensors: Mapping[str, TensorInfo], shape: LlamaShape) -> None:
    """Raise ModelUnavailable unless `tensors` are exactly those of a model of this shape."""
    if shape.layers * len(NAMES_IN_LAYER) > len(tensors):
        raise ModelUnavailable(
            f"The GGUF file says it has {shape.layers} layers, "
            f"but its {len(tensors)} tensors are too few for them."
        )
    expected = _expected_shapes(shape)
    for name in tensors.keys() - expected.keys():
        raise ModelUnavailable(
            f"The GGUF file has the tensor {name!r}, which is no part of a plain llama model."
        )
    for name, dimensions in expected.items():
        tensor = tensors.get(name)
        if tensor is None:
            raise ModelUnavailable(f"The GGUF file has no tensor {name!r}.")
        if tensor.shape != dimensions:
            raise ModelUnavailable(
                f"The tensor {name!r} has the shape {tensor.shape}; "
                f"the file's own metadata asks for {dimensions}."
            )
        if len(dimensions) == 1 and tensor.type_name in BITS:
            raise ModelUnavailable(
                f"The tensor {name!r} is packed as {tensor.type_name}; "
                "a normalisation must be F32 or F16."
            )


def _expected_shapes(shape: LlamaShape) -> dict[str, tuple[int, ...]]:
    queries, keys = shape.heads * shape.head, shape.key_value_heads * shape.head
    hidden, intermediate = shape.hidden, shape.intermediate
    in_layer: dict[str, tuple[int, ...]] = {
        "attn_norm": (hidden,),
        "attn_q": (queries, hidden),
        "attn_k": (keys, hidden),
        "attn_v": (keys, hidden),
        "attn_output": (hidden, queries),
        "ffn_norm": (hidden,),
        "ffn_gate": (intermediate, hidden),
        "ffn_up": (intermediate, hidden),
        "ffn_down": (hidden, intermediate),
    }
    expected: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (shape.vocabulary, hidden),
        "output_norm.weight": (hidden,),
    }
    if not shape.has_tied_embeddings:
        expected["output.weight"] = (shape.vocabulary, hidden)
    for layer in range(shape.layers):
        for name, dimensions in in_layer.items():
            expected[f"blk.{layer}.{name}.weight"] = dimensions
    return expected


def quantization_config(tensors: Mapping[str, TensorInfo]) -> dict[str, Any]:
    """mlx-lm's `quantization`; modules packed unlike the majority are listed one by one."""
    matrices = {
        mlx_name(tensor.name).removesuffix(".weight"): BITS.get(tensor.type_name)
        for tensor in tensors.values()
        if len(tensor.shape) == 2
    }
    packed = Counter(bits for bits in matrices.values() if bits is not None)
    if not packed:
        return {}
    ((usual_bits, _),) = packed.most_common(1)
    quantization: dict[str, Any] = {"group_size": GROUP_SIZE, "bits": usual_bits, "mode": "affine"}
    for module, bits in matrices.items():
        if bits is None:
            quantization[module] = False
        elif bits != usual_bits:
            quantization[module] = {"group_size": GROUP_SIZE, "bits": bits}
    return quantization
