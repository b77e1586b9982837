"""How many tokens a model was made for, under any of the names configurations use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

WINDOW_KEYS = (
    "max_position_embeddings",
    "model_max_length",
    "n_positions",
    "n_ctx",
    "max_seq_len",
    "seq_length",
)
_MOST = 1 << 40


def context_window(config: Mapping[str, Any]) -> int:
    """Tokens; 0 when the configuration does not say."""
    nested = config.get("text_config")
    for key in WINDOW_KEYS:
        for section in (config, nested if isinstance(nested, dict) else {}):
            value = section.get(key)
            if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _MOST:
                return value
    return 0
