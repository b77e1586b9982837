"""Families whose every layer attends to keys and values, over everything or over a window."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from engine.plan.families.fields import Fields, UnknownArchitecture, UnplannableModel
from engine.plan.geometry import FullAttention, Geometry, Layer, SlidingAttention

HeadSize = Literal["stated", "stated-or-divided", "divided"]
"""Where mlx-lm takes the head size from: `head_dim`, or the hidden size over the heads."""


def attention(fields: Fields, head: HeadSize, hidden_size: int) -> FullAttention:
    """One full attention layer under the usual names."""
    query_heads = fields.size("num_attention_heads")
    kv_heads = fields.size_or("num_key_value_heads", query_heads)
    stated = None if head == "divided" else fields.size_or_none("head_dim")
    if stated is None and head == "stated":
        raise UnplannableModel("config.json does not say head_dim.")
    size = stated or hidden_size // query_heads
    if not size:
        raise UnplannableModel(
            f"config.json divides a hidden size of {hidden_size} among {query_heads} heads."
        )
    return FullAttention(query_heads, kv_heads, size, size)


def sliding(layer: FullAttention, window: int) -> SlidingAttention:
    """The same layer over the last `window` tokens."""
    return SlidingAttention(
        layer.query_heads, layer.kv_heads, layer.key_size, layer.value_size, window
    )


def transformer(fields: Fields, family: str, layers: tuple[Layer, ...]) -> Geometry:
    """The widths every family spells the same way, around its layers."""
    return Geometry(
        family=family,
        layers=layers,
        hidden_size=fields.size("hidden_size"),
        intermediate_size=fields.count("intermediate_size"),
        vocabulary_size=fields.size("vocab_size"),
        context_window=fields.context_window(),
        experts=fields.experts(),
    )


@dataclass(frozen=True, slots=True)
class Uniform:
    """Full attention in every layer."""

    head: HeadSize
    defaults: Mapping[str, int] = field(default_factory=dict)

    def __call__(self, fields: Fields, family: str) -> Geometry:
        """Read one configuration."""
        own = fields.over(self.defaults)
        layer = attention(own, self.head, own.size("hidden_size"))
        return transformer(own, family, (layer,) * own.layer_count())


@dataclass(frozen=True, slots=True)
class Windowed:
    """Full and sliding layers, named by `layer_types` or by a pattern.

    Where the types are absent, `pattern` tells them from the configuration; None means that
    mlx-lm then makes every layer full. Some of its models read nothing but the pattern.
    """

    head: HeadSize
    defaults: Mapping[str, int] = field(default_factory=dict)
    pattern: Callable[[Fields, int], tuple[str, ...]] | None = None
    reads_types: bool = True
    has_sinks: bool = False

    def __call__(self, fields: Fields, family: str) -> Geometry:
        """Read one configuration."""
        own = fields.over(self.defaults)
        layer = attention(own, self.head, own.size("hidden_size"))
        types = self._types(own)
        layers = tuple(windowed_layer(own, kind, layer) for kind in types)
        return replace(transformer(own, family, layers), has_sinks=self.has_sinks)

    def _types(self, fields: Fields) -> tuple[str, ...]:
        count = fields.layer_count()
        types = fields.words("layer_types") if self.reads_types else None
        if types is None:
            return self.pattern(fields, count) if self.pattern else ("full_attention",) * count
        if len(types) != count:
            raise UnplannableModel(
                f"config.json names {len(types)} layer types for {count} layers."
            )
        return types


def windowed_layer(fields: Fields, kind: str, layer: FullAttention) -> Layer:
    """The layer in the form its type asks for."""
    match kind:
        case "full_attention":
            return layer
        case "sliding_attention":
            return sliding(layer, fields.size("sliding_window"))
        case _:
            raise UnknownArchitecture(f"unknown layer kind {kind[:60]}")


def every_nth_full(fields: Fields, count: int) -> tuple[str, ...]:
    """`sliding_window_pattern` layers of which the last is full, over and over."""
    period = fields.size("sliding_window_pattern")
    return _last_of_each_full(period, count)


def fourth_full(_fields: Fields, count: int) -> tuple[str, ...]:
    """Three sliding layers, then a full one."""
    return _last_of_each_full(4, count)


def sliding_then_full(_fields: Fields, count: int) -> tuple[str, ...]:
    """Sliding and full layers by turns."""
    return _last_of_each_full(2, count)


def letters(fields: Fields, count: int) -> tuple[str, ...]:
    """A text such as `LLLG`, repeated: L for a local layer."""
    pattern = fields.words("sliding_window_pattern")
    if not pattern:
        return ("full_attention",) * count
    kinds = {"L": "sliding_attention"}
    return tuple(
        kinds.get(pattern[index % len(pattern)], "full_attention") for index in range(count)
    )


def _last_of_each_full(period: int, count: int) -> tuple[str, ...]:
    return tuple(
        "full_attention" if index % period == period - 1 else "sliding_attention"
        for index in range(count)
    )
