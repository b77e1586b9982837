"""What a model's configuration says about the memory it will need: its layers and widths.

One entry a model layer, of a closed set of kinds. Sizes are in elements or heads, windows in
tokens; bytes come later (`kv_bytes`), because they depend on the device.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class FullAttention:
    """Keys and values of every token."""

    query_heads: int
    kv_heads: int
    key_size: int
    value_size: int


@dataclass(frozen=True, slots=True)
class SlidingAttention:
    """Keys and values of the last `window` tokens (mlx-lm's RotatingKVCache, keep 0)."""

    query_heads: int
    kv_heads: int
    key_size: int
    value_size: int
    window: int


@dataclass(frozen=True, slots=True)
class SharedAttention:
    """Attends to the keys of an earlier layer and stores none; `source` is that layer's index."""

    query_heads: int
    source: int


@dataclass(frozen=True, slots=True)
class LatentAttention:
    """Multi-head latent attention: one compressed vector and one rotary key a token.

    While a prompt is read every head's key part (`head_size`) and value (`value_size`) is rebuilt
    from the latent for all tokens.
    """

    query_heads: int
    latent_size: int
    rope_size: int
    head_size: int
    value_size: int


@dataclass(frozen=True, slots=True)
class TokenIndex:
    """The index keys by which sparse attention chooses its tokens; stored twice by mlx-lm."""

    query_heads: int
    size: int
    top_k: int


RecurrentKind = Literal["delta", "mamba", "mamba2", "conv", "lru"]


@dataclass(frozen=True, slots=True)
class RecurrentState:
    """State of constant size. `channels` pass through a convolution of `kernel` taps.

    `float32_elements` stay float32 on every device, `elements` have the activations' type.
    """

    kind: RecurrentKind
    heads: int
    key_size: int
    value_size: int
    channels: int
    kernel: int
    float32_elements: int
    elements: int


@dataclass(frozen=True, slots=True)
class NoCache:
    """A layer that remembers nothing: a feed-forward block of its own."""


Mixer = (
    FullAttention
    | SlidingAttention
    | SharedAttention
    | LatentAttention
    | TokenIndex
    | RecurrentState
    | NoCache
)


@dataclass(frozen=True, slots=True)
class Combined:
    """A layer with several mixers side by side, each with its own cache."""

    parts: tuple[Mixer, ...]


Layer = Mixer | Combined


@dataclass(frozen=True, slots=True)
class Experts:
    """Mixture of experts: `active` of `count` are computed for a token."""

    count: int
    active: int
    intermediate_size: int
    shared_intermediate_size: int = 0


@dataclass(frozen=True, slots=True)
class Geometry:
    """Everything the planners need of a configuration.

    `intermediate_size` is the widest dense feed-forward layer, 0 without one. `context_window` is
    0 when the configuration does not say.
    """

    family: str
    layers: tuple[Layer, ...]
    hidden_size: int
    intermediate_size: int
    vocabulary_size: int
    context_window: int
    experts: Experts | None = None
    has_sinks: bool = False
    has_own_attention: bool = False
    """mlx-lm's code for it multiplies with the keys itself, so that they must be plain."""
    per_layer_input_size: int = 0
    """Gemma's extra embedding of every token for every layer."""
    residual_streams: int = 1
    """Copies of the hidden state that run side by side (Gemma 3n's AltUp)."""

    @property
    def must_stay_plain(self) -> bool:
        """Whether no key and no value can be quantized, whatever its size."""
        return self.has_sinks or self.has_own_attention

    def mixers(self) -> Iterator[Mixer]:
        """Every mixer of every layer, in order."""
        for layer in self.layers:
            yield from layer.parts if isinstance(layer, Combined) else (layer,)
