"""What the engine process knows of the device it computes on, kept for processes without MLX."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Literal

import msgspec

from engine.compute import ComputeKind

Backend = Literal["metal", "cuda", "cpu"]
_FILE_NAME = "device.json"


class Device(msgspec.Struct, frozen=True):
    """Facts that only MLX can tell. Bytes are 0 where the backend does not say."""

    backend: Backend
    name: str
    compute: ComputeKind
    total_bytes: int = 0
    """Memory of the device: the GPU's own on CUDA, the machine's on Metal."""
    recommended_bytes: int = 0
    """Metal's recommended working set, read from the device, never computed."""
    bandwidth: float = 0.0
    """Bytes a second of a matrix-vector product, measured; 0 when it was not."""
    architecture: str = ""


def remember_device(folder: Path, device: Device) -> None:
    """Write the facts for `known_device`; called by the engine process when it starts."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    temporary = folder / f".{_FILE_NAME}.{os.getpid()}"
    temporary.write_bytes(msgspec.json.encode(device))
    temporary.replace(folder / _FILE_NAME)


def known_device(folder: Path) -> Device | None:
    """What the last engine process wrote, or None when none ran yet."""
    with contextlib.suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return msgspec.json.decode((folder / _FILE_NAME).read_bytes(), type=Device)
    return None
