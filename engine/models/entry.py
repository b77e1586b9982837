"""What is known of a model on this machine before it is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Source = Literal["builtin", "models-folder", "hub", "lm-studio", "path"]
Capability = Literal["thinking", "tools", "vision"]
Purpose = Literal["chat", "text", "embedding", "reranker"]
"""`text`: continues text but has no chat template."""


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One model; numbers are 0 and texts empty where its files do not say."""

    name: str
    """`organisation/name`, or the folder's name."""
    folder: Path
    """What the engine loads."""
    source: Source
    bytes_on_disk: int = 0
    """Of this folder's files, links followed; 0 for a built-in model not fetched yet."""
    parameters: int = 0
    quantization: str = ""
    """`4-bit`, `mxfp4`, `awq 4-bit`, or the type of unquantized weights such as `bf16`."""
    context_window: int = 0
    architecture: str = ""
    """The family, as `model_type` in config.json names it."""
    capabilities: frozenset[Capability] = frozenset()
    """`vision`: made for pictures too, which this program cannot give it yet."""
    licence: str = ""
    problem: str = ""
    """A sentence why it cannot be loaded and what to do, or empty."""
    purpose: Purpose = "chat"
