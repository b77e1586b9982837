"""Names, types and sizes of the tensors in safetensors files, read from their headers alone."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from engine.errors import ModelUnavailable

WEIGHT_FILES = "model*.safetensors"
"""The files of a folder that mlx-lm loads, with or without an index beside them."""

_LENGTH_BYTES = 8
_MAX_HEADER_BYTES = 100_000_000
_MAX_DIMENSIONS = 16
_MAX_TYPE_LENGTH = 16
_MAX_BYTES = 1 << 56
_MAX_FILES = 10_000
_KEPT_HEADERS = 512
_METADATA = "__metadata__"
_BITS = {
    **dict.fromkeys(("F64", "I64", "U64", "C64"), 64),
    **dict.fromkeys(("F32", "I32", "U32"), 32),
    **dict.fromkeys(("F16", "BF16", "I16", "U16"), 16),
    **dict.fromkeys(("BOOL", "I8", "U8", "F8_E4M3", "F8_E5M2", "F8_E8M0"), 8),
}
_FLOATING = frozenset({"F64", "F32", "F16", "BF16"})


@dataclass(frozen=True, slots=True)
class Tensor:
    """One stored tensor. `dtype` as safetensors spells it: BF16, F16, F32, U32, ..."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    bytes: int

    @property
    def elements(self) -> int:
        """Product of the shape."""
        return math.prod(self.shape)

    @property
    def is_floating(self) -> bool:
        """Whether MLX computes with it as a real number (8-bit floats arrive as bytes)."""
        return self.dtype in _FLOATING


class _Damaged(ValueError):
    """What is wrong with a header, for the sentence that names the file."""


def folder_tensors(folder: Path) -> tuple[Tensor, ...]:
    """Every tensor mlx-lm would load from the folder; none are loaded here.

    A name stored in two files counts once, with the larger size. Raises ModelUnavailable.
    """
    try:
        files = sorted(folder.glob(WEIGHT_FILES))
    except OSError as error:
        raise ModelUnavailable(f"Cannot list {folder}: {error.strerror}.") from error
    if not files:
        raise ModelUnavailable(
            f"{folder} holds no {WEIGHT_FILES} file; download the model again or choose another."
        )
    if len(files) > _MAX_FILES:
        raise ModelUnavailable(f"{folder} holds {len(files)} weight files, which no model needs.")
    tensors: dict[str, Tensor] = {}
    for file in files:
        for tensor in file_tensors(file):
            known = tensors.get(tensor.name)
            if known is None or known.bytes < tensor.bytes:
                tensors[tensor.name] = tensor
    return tuple(tensors.values())


def file_tensors(file: Path) -> tuple[Tensor, ...]:
    """The tensors of one file, remembered until it changes. Raises ModelUnavailable."""
    try:
        status = file.stat()
        if not file.is_file():
            raise _Damaged("it is not a regular file")
        return _read(str(file), status.st_mtime_ns, status.st_size)
    except OSError as error:
        raise ModelUnavailable(f"Cannot read {file}: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        # Python's own complaints quote the header, which is not for people.
        reason = str(error) if isinstance(error, _Damaged) else "its header is not valid JSON"
        raise ModelUnavailable(
            f"{file} is damaged: {reason}. Download the model again or choose another."
        ) from error


@lru_cache(maxsize=_KEPT_HEADERS)
def _read(path: str, _modified: int, size: int) -> tuple[Tensor, ...]:
    with Path(path).open("rb") as stream:
        header, room = _read_header(stream, size)
    entries = [(name, entry) for name, entry in header if name != _METADATA]
    placed = sorted((_parse(name, entry, room) for name, entry in entries), key=_begin_and_end)
    end = 0
    for begin, after, tensor in placed:
        if begin < end:
            raise _Damaged(f"the tensor {tensor.name[:80]!r} overlaps another")
        end = after
    return tuple(tensor for _, _, tensor in placed)


def _begin_and_end(placed: tuple[int, int, Tensor]) -> tuple[int, int]:
    return placed[0], placed[1]


def _read_header(stream: BinaryIO, size: int) -> tuple[list[tuple[str, Any]], int]:
    """The header's pairs and how many bytes of tensors follow it."""
    length = int.from_bytes(stream.read(_LENGTH_BYTES), "little")
    room = size - _LENGTH_BYTES - length
    if size < _LENGTH_BYTES or room < 0:
        raise _Damaged("it ends before its header does")
    if length > _MAX_HEADER_BYTES:
        raise _Damaged(f"its header claims {length} bytes")
    raw = stream.read(length)
    if len(raw) < length:
        raise _Damaged("it ends before its header does")
    header = json.loads(raw.decode(), object_pairs_hook=_unique_pairs)
    if not isinstance(header, dict):
        raise _Damaged("its header is not a table of tensors")
    return list(header.items()), room


def _unique_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Damaged("its header names a tensor twice")
    return found


def _parse(name: str, entry: object, room: int) -> tuple[int, int, Tensor]:
    """Begin and end offset of one tensor, and what is to be known of it."""
    label = repr(name[:80])
    if not isinstance(entry, dict):
        raise _Damaged(f"the entry of {label} is not a table")
    dtype = entry.get("dtype")
    if not isinstance(dtype, str) or len(dtype) > _MAX_TYPE_LENGTH:
        raise _Damaged(f"the tensor {label} has no type")
    shape = _sizes(entry.get("shape"))
    if shape is None or len(shape) > _MAX_DIMENSIONS:
        raise _Damaged(f"the tensor {label} has an impossible shape")
    offsets = _sizes(entry.get("data_offsets"))
    if offsets is None or len(offsets) != 2:
        raise _Damaged(f"the tensor {label} has impossible offsets")
    begin, end = offsets
    if not begin <= end <= room:
        raise _Damaged(f"the tensor {label} lies outside the file, which may be cut short")
    bits = _BITS.get(dtype)
    if bits is not None and math.prod(shape) * bits // 8 != end - begin:
        raise _Damaged(f"the size of the tensor {label} contradicts its shape")
    return begin, end, Tensor(name, dtype, shape, end - begin)


def _sizes(value: object) -> tuple[int, ...] | None:
    """A list of lengths or offsets, or None when it is anything else."""
    if not isinstance(value, list):
        return None
    are_sizes = all(type(item) is int and 0 <= item <= _MAX_BYTES for item in value)
    return tuple(value) if are_sizes else None
