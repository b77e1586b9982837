"""Keeping a large model's weights resident on macOS, only while it answers.

mlx-lm's own generator wires up to the recommended working set for as long as it lives, which with
several processes has brought whole machines down (ml-explore/mlx#3186). Without any wiring a
model of most of that size is compressed between tokens and answers several times slower.
"""

from __future__ import annotations

import mlx.core as mx

from engine.plan.device import Device

# A model below this share of the working set stays resident by itself.
_LARGE_SHARE = 0.75


class WiredWeights:
    """Raises the wired limit while rows run; does nothing off Metal."""

    def __init__(self, device: Device, is_allowed: bool) -> None:
        self._limit = device.recommended_bytes if is_allowed else 0
        self._is_on_metal = device.backend == "metal"
        self._is_wired = False

    def show_running(self, is_running: bool, weights_bytes: int) -> None:
        """Wire when the first row starts, release when the last one has ended."""
        is_needed = is_running and weights_bytes > _LARGE_SHARE * self._limit > 0
        if not self._is_on_metal or is_needed == self._is_wired:
            return
        if not is_needed:
            # The limit must not change under work in flight.
            mx.synchronize()
        mx.set_wired_limit(self._limit if is_needed else 0)
        self._is_wired = is_needed
