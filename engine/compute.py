"""Which library computes matrix products in the engine process, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ComputeKind = Literal["metal", "cuda", "openblas-shim", "openblas", "reference"]


@dataclass(frozen=True, slots=True)
class ComputePath:
    """The choice made when the engine process started.

    `library` is the file in use, or empty. `reason` says why this path was taken; `advice` is
    one sentence with the remedy where the path is slow, else empty.
    """

    kind: ComputeKind
    library: str
    reason: str
    advice: str = ""

    @property
    def is_fast(self) -> bool:
        """False only for MLX's bundled reference BLAS."""
        return self.kind != "reference"
