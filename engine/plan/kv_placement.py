"""Which mixer of which layer is stored how, once what cannot be quantized is left plain."""

from __future__ import annotations

from collections.abc import Iterator

from engine.plan.geometry import (
    Combined,
    Geometry,
    Layer,
    Mixer,
    NoCache,
    RecurrentState,
    SharedAttention,
)
from engine.plan.kv_scheme import KVScheme, Quantization
from engine.plan.workload import Workload


def placed(
    geometry: Geometry, scheme: KVScheme
) -> Iterator[tuple[int, Mixer, Quantization | None]]:
    """Every mixer with its layer's index and the way it is really stored."""
    for index, layer in enumerate(geometry.layers):
        wanted = None if geometry.must_stay_plain else scheme.of_layer(index)
        if isinstance(layer, Combined):
            # mlx-lm cannot quantize the caches inside a CacheList.
            yield from ((index, mixer, None) for mixer in layer.parts)
        else:
            yield index, layer, wanted if wanted and wanted.serves(layer) else None


def stored_layers(workload: Workload) -> tuple[tuple[Layer, Quantization | None], ...]:
    """Every layer with the way its keys are stored at the workload's length.

    A layer that attends to another one's keys has that one's.
    """
    scheme = workload.scheme.at(workload.context_tokens)
    ways = {index: stored for index, _, stored in placed(workload.geometry, scheme)}
    return tuple(
        (layer, ways[layer.source if isinstance(layer, SharedAttention) else index])
        for index, layer in enumerate(workload.geometry.layers)
    )


def unquantized_layers(geometry: Geometry, scheme: KVScheme) -> int:
    """How many caching layers the scheme names and cannot store."""
    return sum(
        scheme.of_layer(index) is not None
        and stored is None
        and not isinstance(mixer, SharedAttention | NoCache | RecurrentState)
        for index, mixer, stored in placed(geometry, scheme)
    )


def stored_bits(geometry: Geometry, scheme: KVScheme) -> int:
    """Bits of the coarsest layer that can be stored as the scheme says; 0 when none can."""
    stored = (stored for _, _, stored in placed(geometry, scheme))
    return min((each.bits for each in stored if each), default=0)
