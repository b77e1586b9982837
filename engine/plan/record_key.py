"""Under what name the facts about a model's runs are kept."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from engine.compute import ComputeKind
from engine.models.safetensors_header import WEIGHT_FILES

_CONFIG = "config.json"
_MAX_CONFIG_BYTES = 16 << 20
_HASH_LENGTH = 16
_NAME_LENGTH = 32


class RecordKey(msgspec.Struct, frozen=True):
    """A model as it was run here: whatever of these differs makes another key."""

    name: str
    config_hash: str
    """SHA-256 of config.json, shortened; empty when it cannot be read."""
    weights_bytes: int
    compute: ComputeKind
    kv_scheme: str = ""
    """What the KV cache is stored as; empty when it is not quantized."""
    adapter: str = ""
    form: str = ""
    """In what form the weights were computed with (`CpuForm`): each has speeds of its own."""


def key_of_folder(
    folder: Path,
    name: str,
    compute: ComputeKind,
    kv_scheme: str = "",
    adapter: str = "",
    form: str = "",
) -> RecordKey:
    """The key of the model in a folder. Never raises: what cannot be read is left out."""
    return RecordKey(
        name=_writable(name),
        config_hash=_config_hash(folder / _CONFIG),
        weights_bytes=sum(_size(file) for file in _weight_files(folder)),
        compute=compute,
        kv_scheme=_writable(kv_scheme),
        adapter=_writable(adapter),
        form=form,
    )


def file_name(key: RecordKey) -> str:
    """A file name for the key. Raises UnicodeEncodeError for text that no file can hold."""
    return hashlib.sha256(msgspec.json.encode(key)).hexdigest()[:_NAME_LENGTH] + ".json"


def _writable(text: str) -> str:
    """File names may hold bytes that are not text."""
    return text.encode("utf-8", "backslashreplace").decode()


def _config_hash(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return hashlib.sha256(stream.read(_MAX_CONFIG_BYTES)).hexdigest()[:_HASH_LENGTH]
    except OSError:
        return ""


def _weight_files(folder: Path) -> list[Path]:
    try:
        return sorted(folder.glob(WEIGHT_FILES))
    except OSError:
        return []


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
