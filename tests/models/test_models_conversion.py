"""Converted models compute what an independent float32 reference computes."""

import json
from pathlib import Path
from typing import Any

import gguf
import mlx.core as mx
import numpy as np
import pytest
from mlx.utils import tree_map
from mlx_lm import load, stream_generate
from mlx_lm.generate import generate_step

from tests.models.conftest import Convert
from tests.models.reference_llama import FloatArray, ReferenceLlama
from tests.models.tiny_gguf import TinyLlama

TOLERANCE = 1e-3
ANSWER_TOKENS = 10
PROMPTS = (
    "The capital of France is",
    "def add(a, b):\n    return",
    "Once upon a time, in 1984, there was",
)

TINY_MODELS = {
    "F32, grouped heads, tied": TinyLlama(),
    "F16, one key head for each query head": TinyLlama(
        key_value_heads=4, matrix_type="F16", embedding_type="F16"
    ),
    "Q8_0, own output": TinyLlama(
        matrix_type="Q8_0",
        embedding_type="Q8_0",
        has_output=True,
        heads=2,
        head=32,
        key_value_heads=1,
    ),
    "Q4_1 with a Q8_0 embedding": TinyLlama(matrix_type="Q4_1", embedding_type="Q8_0"),
    "Q4_0 beside F16 and F32": TinyLlama(
        matrix_type="Q4_0",
        embedding_type="F16",
        has_output=True,
        tensor_types={"output.weight": "F32", "blk.1.attn_q.weight": "Q8_0"},
    ),
    "heads wider than their share of the hidden size": TinyLlama(
        heads=2,
        key_value_heads=1,
        head=48,
        metadata={"llama.attention.key_length": 48, "llama.attention.value_length": 48},
    ),
}


@pytest.fixture(scope="module")
def real_model(converted_model: Path) -> tuple[Any, Any]:
    return load_float32(converted_model)


@pytest.fixture(scope="module")
def reference(original_gguf: Path) -> ReferenceLlama:
    return ReferenceLlama.read(original_gguf)


def load_plainly(folder: Path) -> tuple[Any, Any]:
    model, tokenizer, *_ = load(str(folder))
    return model, tokenizer


def load_float32(folder: Path) -> tuple[Any, Any]:
    model, tokenizer = load_plainly(folder)

    def widened(array: mx.array) -> mx.array:
        return array.astype(mx.float32) if mx.issubdtype(array.dtype, mx.floating) else array

    model.update(tree_map(widened, model.parameters()))
    return model, tokenizer


def logits_of(model: Any, tokens: list[int]) -> FloatArray:
    return np.array(model(mx.array(tokens)[None])[0])


@pytest.mark.parametrize("name", TINY_MODELS)
def test_tiny_model_computes_the_reference_logits(
    name: str, tmp_path: Path, convert: Convert
) -> None:
    source = TINY_MODELS[name].write(tmp_path / "tiny.gguf")
    assert convert(source, tmp_path / "model") == "converted"
    model, _ = load_float32(tmp_path / "model")
    tokens = [1, 40, 77, 3, 200, 77, 261, 12]
    expected = ReferenceLlama.read(source).logits(tokens)
    assert np.abs(expected).max() > 0.1
    np.testing.assert_allclose(logits_of(model, tokens), expected, atol=TOLERANCE)


@pytest.mark.parametrize("name", TINY_MODELS)
def test_no_value_of_a_tiny_model_changes(name: str, tmp_path: Path, convert: Convert) -> None:
    source = TINY_MODELS[name].write(tmp_path / "tiny.gguf")
    assert convert(source, tmp_path / "model") == "converted"
    stored = mx.load(str(tmp_path / "model" / "model.safetensors"))
    assert isinstance(stored, dict)
    config = json.loads((tmp_path / "model" / "config.json").read_text())
    for tensor in gguf.GGUFReader(source).tensors:
        if any(part in tensor.name for part in ("attn_q", "attn_k")):
            continue  # their rows move; the logits prove where to
        expected = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        module = mlx_module(tensor.name)
        weight = stored[f"{module}.weight"]
        if f"{module}.scales" in stored:
            packing = config["quantization"].get(module, config["quantization"])
            weight = mx.dequantize(
                weight,
                stored[f"{module}.scales"].astype(mx.float32),
                stored[f"{module}.biases"].astype(mx.float32),
                group_size=packing.get("group_size", 32),
                bits=packing["bits"],
            )
        np.testing.assert_allclose(np.array(weight.astype(mx.float32)), expected, atol=1e-6)


def mlx_module(tensor_name: str) -> str:
    """Written out by hand, apart from the converter's table."""
    pieces = tensor_name.split(".")
    if pieces[0] != "blk":
        return {
            "token_embd": "model.embed_tokens",
            "output_norm": "model.norm",
            "output": "lm_head",
        }[pieces[0]]
    inner = {
        "attn_norm": "input_layernorm",
        "attn_v": "self_attn.v_proj",
        "attn_output": "self_attn.o_proj",
        "ffn_norm": "post_attention_layernorm",
        "ffn_gate": "mlp.gate_proj",
        "ffn_up": "mlp.up_proj",
        "ffn_down": "mlp.down_proj",
    }[pieces[2]]
    return f"model.layers.{pieces[1]}.{inner}"


@pytest.mark.model
@pytest.mark.xdist_group("real-model")
def test_real_model_computes_the_reference_logits(
    real_model: tuple[Any, Any], reference: ReferenceLlama
) -> None:
    model, tokenizer = real_model
    tokens = tokenizer.encode(PROMPTS[0] + ", and a naïve 7-year-old 日本 answer follows: ")
    np.testing.assert_allclose(logits_of(model, tokens), reference.logits(tokens), atol=TOLERANCE)


@pytest.mark.sampled(1)
@pytest.mark.model
@pytest.mark.xdist_group("real-model")
@pytest.mark.parametrize("prompt", PROMPTS)
def test_real_model_greedily_says_what_the_reference_says(
    prompt: str, real_model: tuple[Any, Any], reference: ReferenceLlama
) -> None:
    model, tokenizer = real_model
    tokens = tokenizer.encode(prompt)
    spoken = [
        int(token) for token, _ in generate_step(mx.array(tokens), model, max_tokens=ANSWER_TOKENS)
    ]
    # Given the same beginning each time, equal choices at every place are an equal answer.
    logits = reference.logits(tokens + spoken)[len(tokens) - 1 : -1]
    assert len(spoken) == len(logits) == ANSWER_TOKENS
    chosen = logits[np.arange(ANSWER_TOKENS), spoken]
    assert (chosen >= logits.max(axis=1) - TOLERANCE).all()


@pytest.mark.model
@pytest.mark.xdist_group("real-model")
def test_plain_mlx_lm_answers_and_stops(converted_model: Path) -> None:
    model, tokenizer = load_plainly(converted_model)
    question = [{"role": "user", "content": "What is the capital of France?"}]
    prompt = tokenizer.apply_chat_template(question, add_generation_prompt=True)
    pieces = list(stream_generate(model, tokenizer, prompt, max_tokens=40))
    assert "Paris" in "".join(piece.text for piece in pieces)
    assert pieces[-1].finish_reason == "stop"
    assert tokenizer.eos_token_ids == {0, 2}
