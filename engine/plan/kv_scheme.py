"""How a KV cache is stored: plain, or quantized by the same bits or by the model's own list."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.plan.families.fields import MAX_LAYERS, UnplannableModel
from engine.plan.geometry import FullAttention, Mixer, SlidingAttention

KV_GROUP_SIZE = 64
"""Values that share one scale and one bias in a quantized KV cache."""

_FILE_NAME = "kv_config.json"
_MAX_FILE_BYTES = 1 << 20
_BITS = (2, 3, 4, 5, 6, 8)
_GROUP_SIZES = (32, 64, 128)


@dataclass(frozen=True, slots=True)
class Quantization:
    """Affine quantization: `group_size` values along the head share one scale and one bias."""

    bits: int
    group_size: int = KV_GROUP_SIZE

    def vector_bytes(self, size: int, scale_bytes: int) -> int:
        """Bytes of one key or value of `size` elements."""
        return -(-size * self.bits // 8) + size // self.group_size * 2 * scale_bytes

    def serves(self, mixer: Mixer) -> bool:
        """Whether the layer can be stored so: MLX quantizes whole groups along the head."""
        match mixer:
            case FullAttention() | SlidingAttention():
                return not (mixer.key_size % self.group_size or mixer.value_size % self.group_size)
            case _:
                return False


@dataclass(frozen=True, slots=True)
class KVScheme:
    """The quantization of every layer, unless `layers` names each by its index.

    A row is plain until it holds `start_tokens`.
    """

    uniform: Quantization | None = None
    layers: tuple[tuple[int, Quantization], ...] = ()
    start_tokens: int = 0

    def at(self, tokens: int) -> KVScheme:
        """How a row of so many tokens is stored."""
        return PLAIN if tokens < self.start_tokens else self

    def of_layer(self, index: int) -> Quantization | None:
        """How that layer is stored; None for plain."""
        return self.uniform or dict(self.layers).get(index)

    @property
    def bits(self) -> int:
        """Bits of the coarsest layer; 0 when every layer is plain."""
        schemes = [scheme for _, scheme in self.layers]
        if self.uniform:
            schemes.append(self.uniform)
        return min((scheme.bits for scheme in schemes), default=0)


PLAIN = KVScheme()


def uniform_scheme(bits: int, start_tokens: int = 0) -> KVScheme:
    """The same bits for every layer; 0 for plain. Raises UnplannableModel."""
    if not bits:
        return PLAIN
    if bits not in _BITS:
        raise UnplannableModel(f"A KV cache of {bits} bits cannot be stored; choose 4 or 8.")
    return KVScheme(Quantization(bits), start_tokens=start_tokens)


def read_kv_config(folder: Path, start_tokens: int = 0) -> KVScheme:
    """The list beside a model: layer_idx, bits, group_size. Raises UnplannableModel."""
    file = folder / _FILE_NAME
    try:
        if file.stat().st_size > _MAX_FILE_BYTES:
            raise UnplannableModel(f"{file} is too large to be a KV scheme.")
        found = json.loads(file.read_bytes())
    except FileNotFoundError:
        return PLAIN
    except (OSError, ValueError, RecursionError) as error:
        raise UnplannableModel(f"{file} cannot be read as a KV scheme.") from error
    return KVScheme(layers=tuple(_entries(file, found)), start_tokens=start_tokens)


def _entries(file: Path, found: object) -> Iterator[tuple[int, Quantization]]:
    if not isinstance(found, list) or len(found) > MAX_LAYERS:
        raise UnplannableModel(f"{file} is not a list of layers.")
    for entry in found:
        values = entry if isinstance(entry, dict) else {}
        index, bits = values.get("layer_idx"), values.get("bits")
        group_size = values.get("group_size", KV_GROUP_SIZE)
        if type(index) is not int or bits not in _BITS or group_size not in _GROUP_SIZES:
            raise UnplannableModel(f"{file} names a layer that cannot be stored so.")
        yield index, Quantization(bits, group_size)
