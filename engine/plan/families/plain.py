"""The families whose layers differ only in what mlx-lm reads their sizes from."""

from __future__ import annotations

from collections.abc import Mapping

from engine.plan.families.attention import (
    Uniform,
    Windowed,
    every_nth_full,
    fourth_full,
    letters,
    sliding_then_full,
)

STATED = Uniform("stated")
DIVIDED = Uniform("divided")
_EITHER = Uniform("stated-or-divided")
LLAMA = Windowed("stated-or-divided")

PLAIN_FAMILIES: Mapping[str, Uniform | Windowed] = {
    **dict.fromkeys(("llama", "ministral3", "smollm3"), LLAMA),
    **dict.fromkeys(
        ("qwen3", "qwen3_moe", "gemma", "gemma2", "glm4_moe", "seed_oss", "solar_open"), STATED
    ),
    **dict.fromkeys(
        (
            "qwen2",
            "qwen2_moe",
            "phi3",
            "granite",
            "granitemoe",
            "olmo",
            "starcoder2",
            "stablelm",
            "minicpm",
            "internlm2",
            "internlm3",
            "mimo",
            "apertus",
            "helium",
            "bailing_moe",
            "gpt_neox",
        ),
        DIVIDED,
    ),
    **dict.fromkeys(
        ("olmo2", "olmoe", "ernie4_5", "ernie4_5_moe", "dots1", "glm", "nemotron", "telechat3"),
        _EITHER,
    ),
    "mixtral": Uniform(
        "divided",
        {
            "vocab_size": 32_000,
            "hidden_size": 4096,
            "intermediate_size": 14_336,
            "num_hidden_layers": 32,
            "num_attention_heads": 32,
            "num_experts_per_tok": 2,
            "num_key_value_heads": 8,
            "num_local_experts": 8,
        },
    ),
    "phimoe": Uniform("divided", {"num_key_value_heads": 8, "num_experts_per_tok": 2}),
    "phi": DIVIDED,
    "cohere": Uniform("divided", {"num_key_value_heads": 64}),
    "cohere2": Windowed(
        "stated",
        {
            "head_dim": 128,
            "num_key_value_heads": 8,
            "sliding_window": 4096,
            "sliding_window_pattern": 4,
        },
        pattern=every_nth_full,
        reads_types=False,
    ),
    "olmo3": Windowed("stated-or-divided", pattern=fourth_full),
    "exaone4": Windowed("stated", pattern=letters, reads_types=False),
    "exaone_moe": Windowed("stated"),
    "mellum": Windowed("stated"),
    "afmoe": Windowed("stated", {"head_dim": 64, "num_key_value_heads": 4, "sliding_window": 2048}),
    "gpt_oss": Windowed(
        "stated",
        {
            "num_hidden_layers": 36,
            "num_local_experts": 128,
            "num_experts_per_tok": 4,
            "vocab_size": 201_088,
            "hidden_size": 2880,
            "intermediate_size": 2880,
            "head_dim": 64,
            "num_attention_heads": 64,
            "num_key_value_heads": 8,
            "sliding_window": 128,
        },
        pattern=sliding_then_full,
        has_sinks=True,
    ),
}
