"""Recurrent state of constant size: what each kind of layer keeps."""

from __future__ import annotations

from collections.abc import Mapping

from engine.plan.families.fields import Fields, UnknownArchitecture, UnplannableModel
from engine.plan.geometry import Layer, RecurrentState


def gated_delta(fields: Fields) -> RecurrentState:
    """The state of one gated delta layer: a matrix a head, and what the convolution keeps."""
    value_heads, key_heads = (
        fields.size("linear_num_value_heads"),
        fields.size("linear_num_key_heads"),
    )
    key_size, value_size = fields.size("linear_key_head_dim"), fields.size("linear_value_head_dim")
    channels = 2 * key_heads * key_size + value_heads * value_size
    kernel = fields.size("linear_conv_kernel_dim")
    return RecurrentState(
        kind="delta",
        heads=value_heads,
        key_size=key_size,
        value_size=value_size,
        channels=channels,
        kernel=kernel,
        float32_elements=value_heads * value_size * key_size,
        elements=(kernel - 1) * channels,
    )


def mamba_state(width: int, state: int, kernel: int) -> RecurrentState:
    """One Mamba layer. Its state is float32 where the decay was stored so, as it mostly is."""
    return RecurrentState(
        "mamba", 1, state, width, width, kernel, width * state, (kernel - 1) * width
    )


def mamba2_state(
    heads: int, size: int, state: int, groups: int, kernel: int, width: int
) -> RecurrentState:
    """One Mamba 2 layer of `heads` heads, whose convolution runs over `width` and the groups."""
    channels = width + 2 * groups * state
    return RecurrentState(
        "mamba2",
        heads,
        state,
        size,
        channels,
        kernel,
        heads * size * state,
        (kernel - 1) * channels,
    )


def by_type(types: tuple[str, ...], kinds: Mapping[str, Layer]) -> tuple[Layer, ...]:
    """The layer of each type, in order. Raises for a type that is not among `kinds`."""
    if not types:
        raise UnplannableModel("config.json does not say which layers are of which kind.")
    unknown = next((kind for kind in types if kind not in kinds), None)
    if unknown is not None:
        raise UnknownArchitecture(f"unknown layer kind {unknown[:60]}")
    return tuple(kinds[kind] for kind in types)
