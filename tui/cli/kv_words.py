"""How keys and values are stored, in words: for people who look at their settings."""

from __future__ import annotations

from typing import assert_never

from engine.config import EngineConfig
from engine.plan.kv_warning import kv_warning


def kv_fact(config: EngineConfig) -> str:
    """A phrase."""
    start = config.kv_start_tokens
    since = f", once a conversation holds {start:,} tokens" if start else ""
    match config.kv_bits:
        case "off":
            return "plain"
        case "8" | "4":
            return f"{config.kv_bits} bits{since}"
        case "model":
            return f"as the model's kv_config.json says{since}"
        case _:
            assert_never(config.kv_bits)


def kv_remedy(config: EngineConfig, parameters: int) -> str:
    """What to do about it, if anything; `parameters` is the model's size, 0 when unknown."""
    bits = int(config.kv_bits) if config.kv_bits in ("8", "4") else 0
    return kv_warning(bits, parameters)
