"""Entry point of the MLX engine process."""

from __future__ import annotations

from pathlib import Path

from engine.config import EngineConfig
from engine.plan.device import remember_device
from engine.serving.backend import Backend
from engine.serving.entry import serve


def make_backend(config: EngineConfig) -> Backend:
    """Choose the matrix library, which must happen before MLX is imported, then import it."""
    from engine.worker.blas import activate

    compute = activate(Path(config.cache_dir) / "blas", config.blas, config.threads)
    from engine.worker.backend import MlxBackend
    from engine.worker.device import probe_device

    device = probe_device(compute)
    remember_device(Path(config.cache_dir), device)
    return MlxBackend(config, compute, device)


if __name__ == "__main__":
    serve(make_backend)
