"""Model folders as other programs leave them: real headers, no real weights."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

COMMIT = "0123456789abcdef0123456789abcdef01234567"
OTHER_COMMIT = "f" * 40
BYTES = {"BF16": 2, "F16": 2, "F32": 4, "U32": 4, "U8": 1}

LLAMA = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "max_position_embeddings": 8192,
}
CHAT_TOKENIZER = {"chat_template": "{{ messages }}", "eos_token": "<|im_end|>"}
Shapes = Mapping[str, tuple[str, tuple[int, ...]]]
PLAIN: Shapes = {
    "model.embed_tokens.weight": ("BF16", (100, 8)),
    "model.norm.weight": ("BF16", (8,)),
}


def header(tensors: Shapes) -> tuple[bytes, int]:
    """The header of a safetensors file and the bytes of tensors that follow it."""
    entries: dict[str, Any] = {}
    at = 0
    for name, (dtype, shape) in tensors.items():
        size = BYTES[dtype]
        for length in shape:
            size *= length
        entries[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    raw = json.dumps(entries).encode()
    return struct.pack("<Q", len(raw)) + raw, at


def write_weights(file: Path, tensors: Shapes = PLAIN) -> None:
    """A file of the right size whose tensors are a hole."""
    start, size = header(tensors)
    with file.open("wb") as stream:
        stream.write(start)
        stream.truncate(len(start) + size)


def write_model(
    folder: Path,
    config: Mapping[str, Any] = LLAMA,
    tokenizer: Mapping[str, Any] = CHAT_TOKENIZER,
    tensors: Shapes = PLAIN,
    card: str = "---\nlicense: apache-2.0\n---\n# Model\n",
) -> Path:
    """A complete model folder."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer))
    (folder / "tokenizer.json").write_text('{"added_tokens": [], "normalizer": null}')
    (folder / "README.md").write_text(card)
    write_weights(folder / "model.safetensors", tensors)
    return folder


def write_hub_model(
    cache: Path, name: str, commit: str = COMMIT, is_main: bool = True, **parts: Any
) -> Path:
    """The same in a Hugging Face cache: blobs, and a snapshot of links to them."""
    repository = cache / ("models--" + name.replace("/", "--"))
    snapshot = repository / "snapshots" / commit
    made = write_model(repository / f"made-{commit}", **parts)
    (repository / "blobs").mkdir(exist_ok=True)
    snapshot.mkdir(parents=True)
    for number, file in enumerate(sorted(made.iterdir())):
        blob = repository / "blobs" / f"{commit[:8]}{number}"
        file.rename(blob)
        (snapshot / file.name).symlink_to(os.path.relpath(blob, snapshot))
    made.rmdir()
    if is_main:
        (repository / "refs").mkdir(exist_ok=True)
        (repository / "refs" / "main").write_text(commit)
    return snapshot
