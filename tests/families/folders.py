"""Folders of the small random models that the memory plan is benched on."""

import asyncio
from pathlib import Path

from tests.engine.subjects import mlx_launch
from tui.bench.families import FAMILIES
from tui.bench.random_models import write_random_models


def write_families(place: Path, *names: str) -> dict[str, Path]:
    """One folder a family, the same every time."""
    configs = {name: FAMILIES[name] for name in names}
    asyncio.run(write_random_models(place, configs, mlx_launch().config.temporary_dir))
    return {name: place / name for name in names}
