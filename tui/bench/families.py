"""Configurations of small models, one for each kind of layer a plan has to bill.

Few layers, but as many heads and as large a vocabulary as make KV cache, scores and logits tens
of MiB at a few thousand tokens: a mistake in the plan then shows.
"""

from __future__ import annotations

from collections.abc import Mapping

Config = Mapping[str, object]

WINDOW_TOKENS = 32_768
_DENSE: Config = {
    "hidden_size": 256,
    "num_hidden_layers": 4,
    "intermediate_size": 768,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 64,
    "rms_norm_eps": 1e-6,
    "rope_theta": 10_000.0,
    "vocab_size": 32_000,
    "max_position_embeddings": WINDOW_TOKENS,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}


def _config(family: str, **special: object) -> Config:
    return {**_DENSE, "model_type": family, **special}


_ROPE_TEXT = {"rope_theta": 10_000.0, "rope_type": "default", "partial_rotary_factor": 0.25}

FAMILIES: Mapping[str, Config] = {
    # Every attention layer keeps all tokens.
    "llama": _config("llama", num_key_value_heads=8),
    "qwen2": _config("qwen2", num_key_value_heads=2, tie_word_embeddings=True),
    "qwen3": _config("qwen3", head_dim=128, num_key_value_heads=4),
    # Layers with a sliding window between full ones.
    "gemma3": _config(
        "gemma3_text",
        num_hidden_layers=6,
        num_key_value_heads=4,
        head_dim=128,
        query_pre_attn_scalar=128,
        sliding_window=512,
        sliding_window_pattern=3,
        vocab_size=64_000,
    ),
    "gemma3-small-window": _config(
        "gemma3_text", sliding_window=64, sliding_window_pattern=2, query_pre_attn_scalar=64
    ),
    "gemma2": _config("gemma2", head_dim=128, query_pre_attn_scalar=128),
    # Sliding layers with attention sinks and experts.
    "gpt-oss": _config(
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
    "mixtral": _config(
        "mixtral",
        hidden_size=512,
        intermediate_size=512,
        num_local_experts=8,
        num_experts_per_tok=2,
    ),
    "qwen3-moe": _config(
        "qwen3_moe",
        num_experts=16,
        num_experts_per_tok=4,
        decoder_sparse_step=1,
        mlp_only_layers=[],
        moe_intermediate_size=256,
        norm_topk_prob=True,
    ),
    # A recurrent state instead of most KV caches.
    "qwen3.5": {
        "model_type": "qwen3_5",
        "torch_dtype": "bfloat16",
        "tie_word_embeddings": False,
        "text_config": _config(
            "qwen3_5_text",
            full_attention_interval=2,
            head_dim=128,
            linear_num_value_heads=8,
            linear_num_key_heads=4,
            linear_key_head_dim=64,
            linear_value_head_dim=64,
            linear_conv_kernel_dim=4,
            rope_parameters=_ROPE_TEXT,
        ),
    },
    "qwen3-next": _config(
        "qwen3_next",
        full_attention_interval=2,
        head_dim=128,
        linear_num_value_heads=8,
        linear_num_key_heads=4,
        linear_key_head_dim=64,
        linear_value_head_dim=64,
        linear_conv_kernel_dim=4,
        num_experts=8,
        num_experts_per_tok=2,
        decoder_sparse_step=1,
        shared_expert_intermediate_size=256,
        mlp_only_layers=[],
        moe_intermediate_size=256,
        partial_rotary_factor=0.25,
        norm_topk_prob=True,
    ),
    "mamba2": {
        "model_type": "mamba2",
        "num_heads": 16,
        "head_dim": 64,
        "vocab_size": 32_000,
        "hidden_size": 512,
        "intermediate_size": 1024,
        "state_size": 128,
        "num_hidden_layers": 4,
        "layer_norm_epsilon": 1e-5,
        "conv_kernel": 4,
        "n_groups": 1,
        "use_bias": False,
        "use_conv_bias": True,
        "tie_word_embeddings": True,
        "time_step_limit": [0.0, 100.0],
        "time_step_rank": "auto",
        "max_position_embeddings": WINDOW_TOKENS,
        "torch_dtype": "bfloat16",
    },
    "falcon-h1": _config(
        "falcon_h1",
        hidden_size=256,
        mamba_d_ssm=512,
        mamba_n_heads=8,
        mamba_d_head=64,
        mamba_d_state=64,
        mamba_n_groups=1,
        mamba_d_conv=4,
        tie_word_embeddings=True,
    ),
    "granite-hybrid": _config(
        "granitemoehybrid",
        head_dim=32,
        attention_bias=False,
        embedding_multiplier=12.0,
        attention_multiplier=0.125,
        logits_scaling=8.0,
        residual_multiplier=0.22,
        layer_types=["mamba", "attention"] * 2,
        mamba_n_heads=8,
        mamba_d_head=64,
        mamba_proj_bias=False,
        mamba_d_state=64,
        mamba_d_conv=4,
        mamba_n_groups=1,
        mamba_conv_bias=True,
        shared_intermediate_size=768,
        tie_word_embeddings=True,
    ),
    "lfm2": _config(
        "lfm2",
        norm_eps=1e-5,
        conv_bias=False,
        conv_L_cache=3,
        block_dim=256,
        block_multiple_of=256,
        block_ffn_dim_multiplier=1.0,
        block_auto_adjust_ff_dim=False,
        layer_types=["conv", "full_attention"] * 2,
    ),
    # One latent vector a token instead of keys and values.
    "deepseek-v3": _config(
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
}
