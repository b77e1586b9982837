"""The header of a GGUF file, read without loading a weight.

Follows the GGUF specification, little-endian versions 2 and 3. Nothing a damaged or hostile file
says about its own sizes is believed before it is compared with the real size of the file.
"""

import math
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeAlias

from engine.errors import ModelUnavailable

Scalar: TypeAlias = int | float | bool | str
Value: TypeAlias = Scalar | tuple[Scalar, ...]

SCALAR_FORMATS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
STRING, ARRAY = 8, 9
LARGEST_RANK = 4
DEFAULT_ALIGNMENT = 32
SMALLEST_ENTRY_BYTES = 13
SMALLEST_TENSOR_BYTES = 32

TYPE_NAMES = {
    0: "F32",
    1: "F16",
    2: "Q4_0",
    3: "Q4_1",
    6: "Q5_0",
    7: "Q5_1",
    8: "Q8_0",
    9: "Q8_1",
    10: "Q2_K",
    11: "Q3_K",
    12: "Q4_K",
    13: "Q5_K",
    14: "Q6_K",
    15: "Q8_K",
    30: "BF16",
    39: "MXFP4",
}
# Elements and bytes of one block, for the tensor types that MLX loads without changing a value.
BLOCKS = {"F32": (1, 4), "F16": (1, 2), "Q4_0": (32, 18), "Q4_1": (32, 20), "Q8_0": (32, 34)}


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """One tensor; `shape` has rows first, `offset` counts bytes from the start of the data."""

    name: str
    type_name: str
    shape: tuple[int, ...]
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class GGUFHeader:
    """All metadata, and every tensor's type, shape and place."""

    metadata: Mapping[str, Value]
    tensors: Mapping[str, TensorInfo]


def read_header(path: Path) -> GGUFHeader:
    """Read and check the header of the GGUF file at `path`.

    Raises ModelUnavailable when the file cannot be read, is not GGUF, is cut short or damaged,
    or holds a tensor type that an import could not keep value for value.
    """
    try:
        with path.open("rb") as stream:
            return _HeaderReader(path.name, stream).read()
    except OSError as error:
        raise ModelUnavailable(f"{path} cannot be read: {error.strerror}.") from error


class _HeaderReader:
    def __init__(self, file_name: str, stream: BinaryIO) -> None:
        self._file_name = file_name
        self._stream = stream
        self._file_size = os.fstat(stream.fileno()).st_size

    def read(self) -> GGUFHeader:
        if self._stream.read(4) != b"GGUF":
            raise ModelUnavailable(
                f"{self._file_name} is not a GGUF file: its first four bytes are not 'GGUF'."
            )
        version = self._integer("I")
        if version not in {2, 3}:
            raise ModelUnavailable(
                f"{self._file_name} says GGUF version {version}; "
                "only little-endian files of version 2 or 3 can be imported."
            )
        tensor_count, entry_count = self._integer("Q"), self._integer("Q")
        self._expect(entry_count * SMALLEST_ENTRY_BYTES + tensor_count * SMALLEST_TENSOR_BYTES)
        metadata: dict[str, Value] = {}
        for _ in range(entry_count):
            key = self._string()
            if key in metadata:
                raise self._damaged(f"the key {key!r} appears twice")
            metadata[key] = self._value(self._integer("I"), key)
        tensors: dict[str, TensorInfo] = {}
        for _ in range(tensor_count):
            tensor = self._tensor()
            if tensor.name in tensors:
                raise self._damaged(f"the tensor {tensor.name!r} appears twice")
            tensors[tensor.name] = tensor
        self._check_places(tensors, metadata.get("general.alignment", DEFAULT_ALIGNMENT))
        return GGUFHeader(metadata, tensors)

    def _damaged(self, reason: str) -> ModelUnavailable:
        return ModelUnavailable(
            f"{self._file_name} is damaged or incomplete: {reason}. Fetch it again."
        )

    def _expect(self, size: int) -> None:
        if size > self._file_size - self._stream.tell():
            raise self._damaged("it ends in the middle of its header")

    def _bytes(self, size: int) -> bytes:
        self._expect(size)
        return self._stream.read(size)

    def _integer(self, letter: str) -> int:
        (number,) = struct.unpack(f"<{letter}", self._bytes(struct.calcsize(letter)))
        return int(number)

    def _string(self) -> str:
        try:
            return self._bytes(self._integer("Q")).decode()
        except UnicodeDecodeError as error:
            raise self._damaged("a text in its header is not UTF-8") from error

    def _value(self, kind: int, key: str) -> Value:
        if kind == STRING:
            return self._string()
        if kind == ARRAY:
            return self._array(key)
        return self._scalars(kind, 1, key)[0]

    def _array(self, key: str) -> tuple[Scalar, ...]:
        kind, count = self._integer("I"), self._integer("Q")
        if kind != STRING:
            return self._scalars(kind, count, key)
        self._expect(count * 8)
        return tuple(self._string() for _ in range(count))

    def _scalars(self, kind: int, count: int, key: str) -> tuple[Scalar, ...]:
        letter = SCALAR_FORMATS.get(kind)
        if letter is None:
            raise self._damaged(f"the value of {key!r} has the unknown type {kind}")
        return struct.unpack(
            f"<{count}{letter}", self._bytes(count * struct.calcsize(f"<{letter}"))
        )

    def _tensor(self) -> TensorInfo:
        name = self._string()
        rank = self._integer("I")
        if not 1 <= rank <= LARGEST_RANK:
            raise self._damaged(f"the tensor {name!r} has {rank} dimensions")
        shape = tuple(reversed([self._integer("Q") for _ in range(rank)]))
        kind = self._integer("I")
        type_name = TYPE_NAMES.get(kind, f"number {kind}")
        block = BLOCKS.get(type_name)
        if block is None:
            raise ModelUnavailable(
                f"The tensor {name!r} in {self._file_name} has the type {type_name}; "
                f"only {', '.join(BLOCKS)} can be imported without losing precision."
            )
        elements, size = block
        if 0 in shape or shape[-1] % elements:
            raise self._damaged(f"the tensor {name!r} has the impossible shape {shape}")
        return TensorInfo(
            name, type_name, shape, self._integer("Q"), math.prod(shape) // elements * size
        )

    def _check_places(self, tensors: Mapping[str, TensorInfo], alignment: Value) -> None:
        if not isinstance(alignment, int) or alignment < 1 or alignment & (alignment - 1):
            raise self._damaged(f"its alignment is {alignment!r}")
        data_start = math.ceil(self._stream.tell() / alignment) * alignment
        for tensor in tensors.values():
            if tensor.offset % alignment:
                raise self._damaged(f"the tensor {tensor.name!r} is out of place")
            if data_start + tensor.offset + tensor.size > self._file_size:
                raise self._damaged(f"it ends before the last byte of the tensor {tensor.name!r}")
