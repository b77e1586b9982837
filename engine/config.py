"""What the terminal process tells the engine process when it starts it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec


class EngineConfig(msgspec.Struct, frozen=True):
    """Start-up choices of one engine process, passed as JSON on its command line."""

    cache_dir: str
    """Private folder for compiled kernels and self-test verdicts."""

    blas: str | None = None
    """A BLAS library's path, `off`, or None for the automatic choice."""

    prefill_step: int = 128
    """Prompt tokens a step; also how long a cancel can take."""

    records_dir: str = ""
    """Where what models really cost and how fast they ran is kept; empty: in the cache folder."""

    memory_limit_bytes: int | None = None
    """What the engine may use, instead of what the machine has."""

    prompt_cache_bytes: int | None = None
    """Room for the caches of waiting conversations; None: a share of the usable memory."""

    context_limit: int | None = None
    """Tokens a conversation may have at most; None: as many as fit."""

    threads: int | None = None
    """Threads of the matrix library on the CPU; None: as many as there are cores."""

    is_wiring_allowed: bool = True
    """Whether macOS may be asked to keep a large model's weights from being compressed."""

    idle_unload_seconds: float | None = None
    """Free an idle model after this long; 0 never; None: only where memory is small."""

    chat_rows: int = 4
    """Chat answers computed at once; more of them wait."""

    background_rows: int = 8
    """Background rows computed at once: what the CPU's kernels for few rows take together."""

    kv_bits: Literal["off", "8", "4", "model"] = "off"
    """How keys and values are stored: plain, in so many bits, or as the model's folder says."""

    kv_start_tokens: int = 0
    """Tokens a row holds before its keys and values are quantized."""

    disk_tier_dir: str = ""
    """Where the caches of conversations outlive the engine; empty: nowhere."""

    disk_tier_bytes: int | None = None
    """What they may take there; 0 nothing; None: a share of what the disk has free."""

    is_drafting_allowed: bool = True
    """Whether tokens may be drafted from the prompt and checked several at a time."""

    script: str = ""
    """Only for the scripted backend: the file that says what it answers."""

    @property
    def temporary_dir(self) -> Path:
        """Where MLX keeps its compiled kernels between starts (its TMPDIR)."""
        return Path(self.cache_dir) / "tmp"


def encode_config(config: EngineConfig) -> str:
    """The command-line form."""
    return msgspec.json.encode(config).decode()


def decode_config(text: str) -> EngineConfig:
    """Read the command-line form. Raises msgspec.ValidationError."""
    return msgspec.json.decode(text, type=EngineConfig)
