"""Configurations of small models, one for each kind of layer a plan has to bill.

Few layers, but as many heads and as large a vocabulary as make KV cache, scores and logits tens
of MiB at a few thousand tokens: a mistake in the plan then shows.
"""

from __future__ import annotations

from collections.abc import Mapping

from tui.bench.family_config import WINDOW_TOKENS, Config, small_config
from tui.bench.recurrent_families import RECURRENT_FAMILIES

FAMILIES: Mapping[str, Config] = {
    # Every attention layer keeps all tokens.
    "llama": small_config("llama", num_key_value_heads=8),
    "qwen2": small_config("qwen2", num_key_value_heads=2, tie_word_embeddings=True),
    "qwen3": small_config("qwen3", head_dim=128, num_key_value_heads=4),
    # Layers with a sliding window between full ones.
    "gemma3": small_config(
        "gemma3_text",
        num_hidden_layers=6,
        num_key_value_heads=4,
        head_dim=128,
        query_pre_attn_scalar=128,
        sliding_window=512,
        sliding_window_pattern=3,
        vocab_size=64_000,
    ),
    "gemma3-small-window": small_config(
        "gemma3_text", sliding_window=64, sliding_window_pattern=2, query_pre_attn_scalar=64
    ),
    "gemma2": small_config("gemma2", head_dim=128, query_pre_attn_scalar=128),
    # Sliding layers with attention sinks and experts.
    "gpt-oss": small_config(
        "gpt_oss",
        num_attention_heads=16,
        sliding_window=128,
        num_local_experts=4,
        num_experts_per_tok=2,
        intermediate_size=256,
        rope_theta=150_000,
        rope_scaling={
            "rope_type": "yarn",
            "factor": 32.0,
            "original_max_position_embeddings": 4096,
        },
        layer_types=["sliding_attention", "full_attention"] * 2,
    ),
    # Layers that share another layer's KV cache.
    "gemma3n": {
        "model_type": "gemma3n",
        "vocab_size": 32_000,
        "torch_dtype": "bfloat16",
        "text_config": {
            "model_type": "gemma3n_text",
            "hidden_size": 256,
            "num_hidden_layers": 6,
            "intermediate_size": [512] * 6,
            "num_attention_heads": 4,
            "head_dim": 64,
            "rms_norm_eps": 1e-6,
            "vocab_size": 32_000,
            "num_key_value_heads": 4,
            "num_kv_shared_layers": 2,
            "vocab_size_per_layer_input": 32_000,
            "sliding_window": 256,
            "max_position_embeddings": WINDOW_TOKENS,
            "rope_local_base_freq": 10_000.0,
            "rope_theta": 1_000_000.0,
            "final_logit_softcapping": 30.0,
            "layer_types": [
                *["sliding_attention", "full_attention"] * 2,
                "sliding_attention",
                "full_attention",
            ],
            "activation_sparsity_pattern": [0.95, 0.95, 0.0, 0.0, 0.0, 0.0],
            "hidden_size_per_layer_input": 32,
            "altup_num_inputs": 4,
            "altup_coef_clip": 120.0,
            "altup_correct_scale": True,
            "altup_active_idx": 0,
            "laurel_rank": 16,
            "rope_scaling": None,
        },
    },
    # Experts.
    "mixtral": small_config(
        "mixtral",
        hidden_size=512,
        intermediate_size=512,
        num_local_experts=8,
        num_experts_per_tok=2,
    ),
    "qwen3-moe": small_config(
        "qwen3_moe",
        num_experts=16,
        num_experts_per_tok=4,
        decoder_sparse_step=1,
        mlp_only_layers=[],
        moe_intermediate_size=256,
        norm_topk_prob=True,
    ),
    # One latent vector a token instead of keys and values.
    "deepseek-v3": small_config(
        "deepseek_v3",
        num_key_value_heads=8,
        head_dim=None,
        kv_lora_rank=256,
        q_lora_rank=128,
        qk_rope_head_dim=32,
        v_head_dim=64,
        qk_nope_head_dim=64,
        n_shared_experts=1,
        n_routed_experts=8,
        num_experts_per_tok=2,
        moe_intermediate_size=256,
        first_k_dense_replace=1,
        n_group=1,
        topk_group=1,
    ),
    **RECURRENT_FAMILIES,
}
