"""What the benches run on."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.config import EngineConfig

Report = Callable[[str], None]
"""Told one line whenever something was measured."""


@dataclass(frozen=True, slots=True)
class BenchContext:
    """`program` is the command that opens the app; `rounds` shortens or lengthens every bench.

    `corpora` is a folder of other people's wikis.
    """

    model_folder: Path
    engine: EngineConfig
    program: tuple[str, ...] = (sys.executable, "-P", "-m", "tui")
    rounds: int | None = None
    corpora: Path | None = None
