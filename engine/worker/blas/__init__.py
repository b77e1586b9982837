"""A fast matrix library under MLX's CPU backend, put there before MLX is imported."""

from engine.worker.blas.activation import activate

__all__ = ["activate"]
