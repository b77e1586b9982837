"""Model folders that the library finds whole and the scripted engine loads."""

from __future__ import annotations

import json
import struct
from pathlib import Path

CONTEXT_WINDOW = 4096
TEMPLATE = "{{ messages }}"


def write_scripted_model(folder: Path, **wishes: object) -> Path:
    """Write the folder and return it; `wishes` are fields of `engine.script.ScriptedModel`."""
    folder.mkdir(parents=True)
    config = {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "max_position_embeddings": CONTEXT_WINDOW,
        "context_window": CONTEXT_WINDOW,
        **wishes,
    }
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"chat_template": TEMPLATE}), encoding="utf-8"
    )
    header = json.dumps({"a.weight": {"dtype": "F16", "shape": [4], "data_offsets": [0, 8]}})
    (folder / "model.safetensors").write_bytes(
        struct.pack("<Q", len(header)) + header.encode() + bytes(8)
    )
    return folder
