"""The engine's configuration as the planner wants it."""

from __future__ import annotations

from engine.config import EngineConfig
from engine.plan.planner import PlanSetup


def plan_setup(config: EngineConfig) -> PlanSetup:
    """How an engine of this configuration is set up."""
    bits = config.kv_bits
    return PlanSetup(
        prefill_step=config.prefill_step,
        prompt_cache_bytes=config.prompt_cache_bytes,
        context_limit=config.context_limit,
        kv_bits=int(bits) if bits in ("8", "4") else 0,
        uses_kv_config=bits == "model",
        kv_start_tokens=config.kv_start_tokens,
    )
