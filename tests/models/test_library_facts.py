"""What is said of one model: size, parameters, quantization, context, abilities, licence."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.models.families import is_known_family
from engine.models.library import model_at
from engine.models.model_card import licence_of
from tests.models.model_folders import CHAT_TOKENIZER, LLAMA, PLAIN, write_model, write_weights
from tests.models_fixture import fetch_builtin_model
from tests.tiny_model import write_tiny_model

QUANTIZED = {
    "model.embed_tokens.weight": ("U32", (100, 8)),
    "model.embed_tokens.scales": ("BF16", (100, 1)),
    "model.embed_tokens.biases": ("BF16", (100, 1)),
    "model.norm.weight": ("BF16", (64,)),
}


@pytest.mark.parametrize(
    ("scheme", "tensors", "parameters", "quantization"),
    [
        ({}, PLAIN, 808, "bf16"),
        (
            {"quantization": {"group_size": 64, "bits": 4}},
            QUANTIZED,
            100 * 64 + 64,
            "4-bit",
        ),
        (
            {
                "quantization": {
                    "group_size": 64,
                    "bits": 4,
                    "model.embed_tokens": {"group_size": 64, "bits": 8},
                }
            },
            QUANTIZED,
            100 * 32 + 64,
            "4/8-bit",
        ),
        (
            {"quantization": {"group_size": 32, "bits": 4, "mode": "mxfp4"}},
            {
                "a.weight": ("U32", (10, 4)),
                "a.scales": ("U8", (10, 1)),
                "a.bias": ("BF16", (10,)),
            },
            10 * 32 + 10,
            "mxfp4",
        ),
        (
            {"quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128}},
            {
                "a.qweight": ("U32", (10, 4)),
                "a.qzeros": ("U32", (1, 4)),
                "a.scales": ("F16", (1, 32)),
            },
            320,
            "awq 4-bit",
        ),
        (
            {"quantization_config": {"quant_method": "mxfp4"}},
            {"e.gate_blocks": ("U8", (2, 16)), "e.gate_scales": ("U8", (2, 1))},
            64,
            "mxfp4",
        ),
        ({"quantization": {"bits": "many"}}, QUANTIZED, 6464, "u32"),
        ({"quantization": {"bits": 0}}, QUANTIZED, 6464, "u32"),
        ({"quantization": [4]}, PLAIN, 808, "bf16"),
    ],
)
def test_parameters_and_quantization(
    tmp_path: Path, scheme: dict[str, Any], tensors: Any, parameters: int, quantization: str
) -> None:
    entry = model_at(write_model(tmp_path / "m", {**LLAMA, **scheme}, tensors=tensors))
    assert (entry.parameters, entry.quantization, entry.problem) == (parameters, quantization, "")


def test_shards_are_counted_together(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m")
    (folder / "model.safetensors").rename(folder / "model-00001-of-00002.safetensors")
    write_weights(folder / "model-00002-of-00002.safetensors", {"other": ("F32", (5,))})
    entry = model_at(folder)
    assert entry.parameters == 813
    assert entry.bytes_on_disk == sum(file.stat().st_size for file in folder.iterdir())


@pytest.mark.parametrize(
    ("config", "window"),
    [
        ({"max_position_embeddings": 4096}, 4096),
        ({"text_config": {"max_position_embeddings": 131072}}, 131072),
        ({"n_positions": 1024}, 1024),
        ({"max_position_embeddings": -1}, 0),
        ({"max_position_embeddings": 10**300}, 0),
        ({"max_position_embeddings": True}, 0),
        ({"text_config": 7}, 0),
    ],
)
def test_context_window(tmp_path: Path, config: dict[str, Any], window: int) -> None:
    folder = write_model(tmp_path / "m", {"model_type": "llama", **config})
    assert model_at(folder).context_window == window


TOOLS = "{% if tools %}<tool_call>{{ tool_call.name }}{% endif %}"


@pytest.mark.parametrize(
    ("config", "template", "tokens", "expected"),
    [
        ({}, "{{ messages }}", [], set()),
        ({}, "{{ messages }}", ["<think>", "</think>"], {"thinking"}),
        ({}, "<think></think>", [], {"thinking"}),
        ({}, "{{ messages }}", ["[THINK]", "[/THINK]"], {"thinking"}),
        (
            {},
            "{{ messages }}",
            ["<|start|>", "<|channel|>", "<|message|>", "<|end|>"],
            {"thinking", "tools"},
        ),
        ({}, "{{ messages }}", ["<think>"], set()),
        ({}, "{{ messages }}", ["<|channel>", "<channel|>"], {"thinking"}),
        ({}, TOOLS, [], {"tools"}),
        ({}, "[TOOL_CALLS]", [], {"tools"}),
        ({}, "<tool_call>", [], set()),
        ({}, "{{ tools }}<tool_call>", [], {"tools"}),
        ({}, "<｜tool▁calls▁begin｜>", [], {"tools"}),
        ({}, "{{ messages }}", ["<|tool_call_start|>", "<|tool_call_end|>"], {"tools"}),
        (
            {},
            "{{ messages }}",
            ["<|open|>", "<|close|>", "<|sep|>", "<|end_of_msg|>"],
            {"thinking", "tools"},
        ),
        ({"vision_config": {"depth": 1}}, "{{ messages }}", [], {"vision"}),
        ({"vision_config": None}, "{{ messages }}", [], set()),
        ({"text_config": {"vision_config": {}}}, "{{ messages }}", [], set()),
    ],
)
@pytest.mark.parametrize("where", ["tokenizer.json", "added_tokens.json", "config"])
def test_abilities(
    tmp_path: Path,
    config: dict[str, Any],
    template: str,
    tokens: list[str],
    expected: set[str],
    where: str,
) -> None:
    settings: dict[str, Any] = {"chat_template": template}
    if where == "config":
        settings["added_tokens_decoder"] = {
            str(number): {"content": token} for number, token in enumerate(tokens)
        }
    folder = write_model(tmp_path / "m", {**LLAMA, **config}, settings)
    if where == "tokenizer.json":
        added = [{"id": 1, "content": token} for token in tokens]
        (folder / where).write_text(json.dumps({"added_tokens": added, "normalizer": None}))
    elif where == "added_tokens.json":
        (folder / where).write_text(json.dumps(dict.fromkeys(tokens, 1)))
    assert model_at(folder).capabilities == expected


def test_a_template_file_comes_before_the_configuration(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m", tokenizer={"chat_template": TOOLS})
    (folder / "chat_template.jinja").write_text("{{ messages }}")
    assert model_at(folder).capabilities == set()
    (folder / "chat_template.jinja").write_text(TOOLS)
    assert model_at(folder).capabilities == {"tools"}


@pytest.mark.parametrize(
    ("name", "changes", "tokenizer", "purpose"),
    [
        ("Qwen3-4B", {}, CHAT_TOKENIZER, "chat"),
        ("Qwen3-4B-Base", {}, {}, "text"),
        ("Named", {}, {"chat_template": [{"name": "default", "template": "x"}]}, "chat"),
        ("Qwen3-Embedding-0.6B", {}, CHAT_TOKENIZER, "embedding"),
        ("embeddinggemma-300m", {"architectures": ["Gemma3TextModel"]}, {}, "embedding"),
        ("bge-small", {}, {}, "embedding"),
        ("Qwen3-Reranker-0.6B", {}, CHAT_TOKENIZER, "reranker"),
        ("judge", {"architectures": ["LlamaForSequenceClassification"]}, {}, "reranker"),
        ("gtethe1st", {}, CHAT_TOKENIZER, "chat"),
    ],
)
def test_what_a_model_is_for(
    tmp_path: Path, name: str, changes: dict[str, Any], tokenizer: dict[str, Any], purpose: str
) -> None:
    folder = write_model(tmp_path / name, {**LLAMA, **changes}, tokenizer)
    assert model_at(folder).purpose == purpose


def test_a_sentence_transformer_is_an_embedding_model(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m")
    (folder / "modules.json").write_text("[]")
    assert model_at(folder).purpose == "embedding"


@pytest.mark.parametrize(
    ("card", "licence"),
    [
        ("---\nlicense: apache-2.0\n---\n", "apache-2.0"),
        ("---\r\nlicense: mit\r\n---\r\n", "mit"),
        ("\ufeff---\ntags:\n- mlx\nlicense: 'gemma' # theirs\n---\n", "gemma"),
        ("---\nlicense: other\nlicense_name: qwen-research\n---\n", "qwen-research"),
        ("---\nlicense: other\n---\n", "other"),
        ("---\nlicense:\n- mit\n- apache-2.0\n---\n", "mit"),
        ("---\nlicense: [mit]\n---\n", "mit"),
        ("---\nmodel:\n  license: nested\n---\n", ""),
        ("---\nlicense: never closed\n", ""),
        ("# No front matter\nlicense: mit\n", ""),
        ("", ""),
        ("---\nlicense: " + "x" * 500 + "\n---\n", "x" * 80),
    ],
)
def test_the_licence_comes_from_the_model_card(tmp_path: Path, card: str, licence: str) -> None:
    (tmp_path / "README.md").write_bytes(card.encode())
    assert licence_of(tmp_path) == licence


@pytest.mark.model
def test_the_built_in_model_is_described_without_loading_it() -> None:
    entry = model_at(fetch_builtin_model())
    assert (entry.architecture, entry.context_window) == ("llama", 8192)
    assert (entry.quantization, entry.licence, entry.purpose) == ("4/8-bit", "apache-2.0", "chat")
    # Its embedding serves as output layer too and is stored once.
    assert entry.parameters == 134_515_008
    assert entry.problem == ""


ASK_MLX = """
import sys, json
from pathlib import Path
from mlx_lm.utils import _get_classes, load
from mlx_lm.tokenizer_utils import load as load_tokenizer
out = {}
for family in json.loads(sys.argv[1]):
    try:
        _get_classes({"model_type": family})
        out[family] = True
    except (ValueError, AttributeError):
        out[family] = False
signs = []
for folder in sys.argv[2:]:
    tokenizer = load_tokenizer(Path(folder))
    signs.append([bool(tokenizer.has_thinking), bool(tokenizer.has_tool_calling)])
print(json.dumps([out, signs]))
"""


def test_mlx_lm_itself_agrees(tmp_path: Path) -> None:
    families = ["llama", "mistral", "qwen3_5", "gemma3", "kimi_k2", "cache", "whisper", "bert", ""]
    folders = [write_tiny_model(tmp_path / str(thinks), thinks) for thinks in (False, True)]
    (tools := folders[0] / "chat_template.jinja").write_text(
        json.loads((folders[0] / "tokenizer_config.json").read_text())["chat_template"]
        + "{# <tool_call> tool_call.name #}"
    )
    assert tools.exists()
    done = subprocess.run(
        [sys.executable, "-c", ASK_MLX, json.dumps(families), *map(str, folders)],
        capture_output=True,
        text=True,
        check=True,
    )
    known, signs = json.loads(done.stdout)
    assert known == {family: is_known_family({"model_type": family}) for family in families}
    ours = [model_at(folder).capabilities for folder in folders]
    assert signs == [["thinking" in found, "tools" in found] for found in ours]
    assert signs == [[False, True], [True, False]]
