"""The file that holds one kept prefix of a conversation, as bytes. Knows nothing about MLX.

    magic, version, header length, data start, header digest    fixed width, little endian
    header                                                      JSON
    zeros up to a multiple of ALIGNMENT
    tensors, each at a multiple of ALIGNMENT from the data start, zeros between them

Digests have a fixed width, so that the header's length is known before any tensor was written.
"""

from __future__ import annotations

import hashlib
import math
import os
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from engine.errors import EngineError

VERSION = 1
ALIGNMENT = 16 * 1024
MAGIC = b"ZIBKV\r\n\x1a"
_PREFIX = struct.Struct("<8sIIQ16s")
_DIGEST_BYTES = 16
_NO_DIGEST = "0" * 2 * _DIGEST_BYTES
_MOST_HEADER_BYTES = 256 << 20
_ITEM_BYTES = {
    **dict.fromkeys(("bool", "uint8", "int8"), 1),
    **dict.fromkeys(("uint16", "int16", "float16", "bfloat16"), 2),
    **dict.fromkeys(("uint32", "int32", "float32"), 4),
    **dict.fromkeys(("uint64", "int64", "float64", "complex64"), 8),
}


class FileRefused(EngineError):
    """A file that is of no use here; `is_spent` when it never will be to anybody."""

    def __init__(self, message: str, is_spent: bool = True) -> None:
        super().__init__(message)
        self.is_spent = is_spent


class TensorRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One array. `offset` counts from the data start; `dtype` as MLX spells it."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    offset: int = 0
    digest: str = _NO_DIGEST

    @property
    def nbytes(self) -> int:
        """Bytes of the array. Raises KeyError for an unknown type."""
        return math.prod(self.shape) * _ITEM_BYTES[self.dtype]


class LayerRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One cache, or the caches it is made of."""

    kind: str
    numbers: dict[str, int]
    tensors: tuple[TensorRecord, ...] = ()
    children: tuple[LayerRecord, ...] = ()


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a file holds. `created` is in seconds since 1970."""

    fingerprint: str
    created: float
    tokens: tuple[int, ...]
    is_trimmable: bool
    layers: tuple[LayerRecord, ...]


@dataclass(frozen=True, slots=True)
class Opened:
    """A header that was found to be whole, and where the data begins."""

    header: Header
    data_start: int


def tensors_of(layers: Sequence[LayerRecord]) -> Iterator[TensorRecord]:
    """Every tensor in the order it lies in the file."""
    for layer in layers:
        yield from layer.tensors
        yield from tensors_of(layer.children)


def lay_out(layers: Sequence[LayerRecord]) -> tuple[LayerRecord, ...]:
    """The layers with each tensor at its place."""
    place = 0

    def put(layer: LayerRecord) -> LayerRecord:
        nonlocal place
        tensors = []
        for tensor in layer.tensors:
            tensors.append(replace(tensor, offset=place))
            place += _aligned(tensor.nbytes)
        children = tuple(put(child) for child in layer.children)
        return replace(layer, tensors=tuple(tensors), children=children)

    return tuple(put(layer) for layer in layers)


def with_digests(header: Header, digests: Sequence[str]) -> Header:
    """The header once its tensors are known, in the order of `tensors_of`."""
    left = iter(digests)

    def fill(layer: LayerRecord) -> LayerRecord:
        tensors = tuple(replace(tensor, digest=next(left)) for tensor in layer.tensors)
        return replace(layer, tensors=tensors, children=tuple(map(fill, layer.children)))

    return replace(header, layers=tuple(map(fill, header.layers)))


def new_digest() -> hashlib._Hash:
    """A hash to feed a tensor's bytes to; `digest_text` says what it came to."""
    return hashlib.sha256()


def digest_text(hasher: hashlib._Hash) -> str:
    """What a record says of these bytes."""
    return hasher.hexdigest()[: 2 * _DIGEST_BYTES]


def data_start(header: Header) -> int:
    """Where the tensors begin."""
    return _aligned(_PREFIX.size + len(msgspec.json.encode(header)))


def file_size(header: Header) -> int:
    """Bytes of the whole file."""
    last = max(tensors_of(header.layers), key=lambda tensor: tensor.offset, default=None)
    return data_start(header) + (last.offset + last.nbytes if last else 0)


def encode_header(header: Header) -> bytes:
    """Everything before the tensors."""
    body = msgspec.json.encode(header)
    start = data_start(header)
    front = _PREFIX.pack(MAGIC, VERSION, len(body), start, bytes(_DIGEST_BYTES))
    prefix = _PREFIX.pack(MAGIC, VERSION, len(body), start, _header_digest(front, body))
    return (prefix + body).ljust(start, b"\0")


def read_header(descriptor: int) -> Opened:
    """The header of an open file, checked as far as that goes without reading tensors.

    Raises FileRefused, OSError.
    """
    front = os.pread(descriptor, _PREFIX.size, 0)
    if len(front) < _PREFIX.size:
        raise FileRefused("It ends before its header does.")
    magic, version, length, start, digest = _PREFIX.unpack(front)
    if magic != MAGIC:
        raise FileRefused("It is not a kept cache.")
    if version != VERSION:
        raise FileRefused(f"It is of version {version}.", is_spent=version < VERSION)
    if length > _MOST_HEADER_BYTES or start != _aligned(_PREFIX.size + length):
        raise FileRefused("Its header is damaged.")
    body = os.pread(descriptor, length, _PREFIX.size)
    if digest != _header_digest(front[: -len(digest)] + bytes(_DIGEST_BYTES), body):
        raise FileRefused("Its header is damaged.")
    try:
        header = msgspec.json.decode(body, type=Header)
        is_whole = lay_out(header.layers) == header.layers and os.fstat(
            descriptor
        ).st_size == file_size(header)
    except (msgspec.MsgspecError, UnicodeDecodeError, KeyError, RecursionError) as error:
        raise FileRefused("Its header makes no sense.") from error
    if not is_whole:
        raise FileRefused("It has not the size its header says.")
    return Opened(header, start)


def _header_digest(front: bytes, body: bytes) -> bytes:
    return hashlib.sha256(front + body).digest()[:_DIGEST_BYTES]


def _aligned(place: int) -> int:
    return -(-place // ALIGNMENT) * ALIGNMENT
