"""Writes model folders whose weights are only claimed: headers before an empty, sparse file."""

import json
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_BYTES = {"F32": 4, "F16": 2, "BF16": 2, "U32": 4, "I32": 4, "U8": 1, "F8_E4M3": 1}
Shapes = Mapping[str, tuple[str, tuple[int, ...]]]


def write_weights(file: Path, tensors: Shapes) -> None:
    """`tensors` maps a name to its type and shape."""
    header: dict[str, Any] = {}
    end = 0
    for name, (dtype, shape) in tensors.items():
        size = _BYTES[dtype]
        for length in shape:
            size *= length
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [end, end + size]}
        end += size
    raw = json.dumps(header).encode()
    file.write_bytes(struct.pack("<Q", len(raw)) + raw)
    os.truncate(file, 8 + len(raw) + end)


def write_model(folder: Path, config: Mapping[str, Any], tensors: Shapes) -> Path:
    """A folder with config.json and one file of weights."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    write_weights(folder / "model.safetensors", tensors)
    return folder
