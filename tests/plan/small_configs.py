"""Configurations of small models, one for every family the planner reads, as mlx-lm takes them."""

from collections.abc import Mapping
from typing import Any

Config = Mapping[str, Any]

_BASE: Config = {
    "hidden_size": 128,
    "num_hidden_layers": 4,
    "intermediate_size": 192,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "rms_norm_eps": 1e-6,
    "rope_theta": 10_000.0,
    "vocab_size": 320,
    "max_position_embeddings": 4096,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}
_MOE: Config = {
    "num_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 64,
    "norm_topk_prob": True,
}
_GROUPED: Config = {
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "n_shared_experts": 1,
    "moe_intermediate_size": 64,
    "first_k_dense_replace": 1,
    "moe_layer_freq": 1,
    "n_group": 1,
    "topk_group": 1,
    "routed_scaling_factor": 1.0,
    "norm_topk_prob": True,
    "scoring_func": "sigmoid",
    "topk_method": "noaux_tc",
}
_LATENT: Config = {
    "kv_lora_rank": 64,
    "q_lora_rank": 64,
    "qk_rope_head_dim": 32,
    "qk_nope_head_dim": 64,
    "v_head_dim": 64,
}
_MAMBA2: Config = {
    "mamba_n_heads": 4,
    "mamba_d_head": 64,
    "mamba_d_state": 32,
    "mamba_d_conv": 4,
    "mamba_n_groups": 1,
    "mamba_proj_bias": False,
    "mamba_conv_bias": True,
    "mamba_expand": 2,
}
_DELTA: Config = {
    "linear_num_value_heads": 4,
    "linear_num_key_heads": 2,
    "linear_key_head_dim": 64,
    "linear_value_head_dim": 64,
    "linear_conv_kernel_dim": 4,
}
_SLIDING_LAYERS = ["sliding_attention", "sliding_attention", "sliding_attention", "full_attention"]
_GEMMA4: Config = {
    "model_type": "gemma4_text",
    "num_hidden_layers": 6,
    "head_dim": 64,
    "global_head_dim": 128,
    "num_kv_shared_layers": 2,
    "sliding_window": 96,
    "sliding_window_pattern": 2,
    "hidden_size_per_layer_input": 32,
    "vocab_size_per_layer_input": 320,
}


def _config(family: str, *parts: Config, **special: Any) -> Config:
    whole: dict[str, Any] = dict(_BASE)
    for part in parts:
        whole.update(part)
    return {**whole, "model_type": family, **special}


SMALL_CONFIGS: Mapping[str, Config] = {
    "llama": _config("llama"),
    "llama sliding": _config("llama", layer_types=_SLIDING_LAYERS, sliding_window=96, head_dim=64),
    "llama tied": _config("llama", tie_word_embeddings=True),
    "mistral": _config("mistral", sliding_window=96),
    "ministral3": _config(
        "ministral3",
        layer_types=_SLIDING_LAYERS,
        sliding_window=96,
        rope_parameters={
            "rope_theta": 10_000.0,
            "llama_4_scaling_beta": 0.1,
            "original_max_position_embeddings": 4096,
        },
    ),
    "smollm3": _config("smollm3"),
    "qwen2": _config("qwen2"),
    "qwen2_moe": _config("qwen2_moe", _MOE, shared_expert_intermediate_size=96),
    "qwen3": _config("qwen3", head_dim=64),
    "qwen3_moe": _config("qwen3_moe", _MOE, head_dim=64, decoder_sparse_step=1, mlp_only_layers=[]),
    "qwen3_next": _config(
        "qwen3_next",
        _MOE,
        _DELTA,
        head_dim=64,
        decoder_sparse_step=1,
        mlp_only_layers=[],
        shared_expert_intermediate_size=64,
        partial_rotary_factor=0.5,
        full_attention_interval=2,
    ),
    "qwen3_5": {
        "model_type": "qwen3_5",
        "torch_dtype": "bfloat16",
        "text_config": _config("qwen3_5_text", _DELTA, head_dim=64),
    },
    "gemma": _config("gemma", head_dim=64),
    "gemma2": _config("gemma2", head_dim=64, sliding_window=96),
    "gemma3_text": _config("gemma3_text", head_dim=64, sliding_window=96, sliding_window_pattern=2),
    "gemma3": {
        "model_type": "gemma3",
        "torch_dtype": "bfloat16",
        "vocab_size": 320,
        "text_config": _config(
            "gemma3_text", head_dim=64, sliding_window=96, sliding_window_pattern=2
        ),
    },
    "gemma4_text": _config("gemma4_text", _GEMMA4),
    "gemma4": {
        "model_type": "gemma4",
        "torch_dtype": "bfloat16",
        "vocab_size": 320,
        "text_config": _config(
            "gemma4_text",
            _GEMMA4,
            attention_k_eq_v=True,
            num_global_key_value_heads=1,
            num_kv_shared_layers=0,
        ),
    },
    "gpt_oss": _config(
        "gpt_oss",
        head_dim=32,
        sliding_window=96,
        num_local_experts=4,
        num_experts_per_tok=2,
        rope_scaling=None,
    ),
    "mixtral": _config("mixtral", num_local_experts=4, num_experts_per_tok=2),
    "phi3": _config("phi3", sliding_window=96),
    "phimoe": _config(
        "phimoe",
        num_local_experts=4,
        num_experts_per_tok=2,
        rope_scaling={
            "type": "longrope",
            "long_factor": [1.0] * 16,
            "short_factor": [1.0] * 16,
            "long_mscale": 1.0,
            "short_mscale": 1.0,
        },
    ),
    "granite": _config(
        "granite",
        logits_scaling=1.0,
        attention_multiplier=1.0,
        embedding_multiplier=1.0,
        residual_multiplier=1.0,
        attention_bias=False,
        mlp_bias=False,
    ),
    "granitemoehybrid": _config(
        "granitemoehybrid",
        _MAMBA2,
        layer_types=["mamba", "attention", "mamba", "attention"],
        attention_bias=False,
        embedding_multiplier=1.0,
        attention_multiplier=1.0,
        logits_scaling=1.0,
        residual_multiplier=1.0,
        num_local_experts=4,
        num_experts_per_tok=2,
        shared_intermediate_size=96,
    ),
    "olmo2": _config("olmo2"),
    "olmoe": _config("olmoe", num_experts=4, num_experts_per_tok=2),
    "olmo3": _config("olmo3", sliding_window=96),
    "olmo_hybrid": _config(
        "olmo_hybrid", _DELTA, linear_allow_neg_eigval=True, attention_bias=False
    ),
    "cohere2": _config("cohere2", head_dim=32, sliding_window=96, sliding_window_pattern=2),
    "exaone4": _config(
        "exaone4", head_dim=64, sliding_window=96, sliding_window_pattern="LLG", rope_scaling=None
    ),
    "starcoder2": _config("starcoder2", norm_epsilon=1e-5),
    "glm4_moe": _config(
        "glm4_moe",
        _GROUPED,
        head_dim=64,
        rope_scaling=None,
        use_qk_norm=True,
        attention_bias=False,
        partial_rotary_factor=0.5,
    ),
    "glm4_moe_lite": _config("glm4_moe_lite", _GROUPED, _LATENT),
    "deepseek_v2": _config(
        "deepseek_v2",
        _GROUPED,
        _LATENT,
        rope_scaling={
            "type": "yarn",
            "factor": 2.0,
            "original_max_position_embeddings": 4096,
            "mscale_all_dim": 0,
        },
    ),
    "deepseek_v3": _config("deepseek_v3", _GROUPED, _LATENT),
    "deepseek_v32": _config(
        "deepseek_v32", _GROUPED, _LATENT, index_head_dim=64, index_n_heads=2, index_topk=64
    ),
    "glm_moe_dsa": _config(
        "glm_moe_dsa",
        _GROUPED,
        _LATENT,
        index_head_dim=64,
        index_n_heads=2,
        index_topk=64,
        attention_bias=False,
        rope_parameters={"rope_theta": 10_000.0, "rope_type": "default"},
    ),
    "minicpm3": _config(
        "minicpm3",
        _LATENT,
        dim_model_base=64,
        scale_depth=1.0,
        scale_emb=1.0,
        rope_scaling={
            "type": "longrope",
            "original_max_position_embeddings": 4096,
            "long_factor": [1.0] * 16,
            "short_factor": [1.0] * 16,
        },
    ),
    "kimi_linear": _config(
        "kimi_linear",
        _LATENT,
        head_dim=64,
        linear_attn_config={
            "kda_layers": [1, 3],
            "num_heads": 2,
            "head_dim": 64,
            "short_conv_kernel_size": 4,
        },
        model_max_length=4096,
        num_experts=4,
        moe_intermediate_size=64,
        num_experts_per_token=2,
        first_k_dense_replace=1,
    ),
    "mamba": _config(
        "mamba",
        state_size=16,
        conv_kernel=4,
        use_bias=False,
        use_conv_bias=True,
        time_step_rank=8,
    ),
    "mamba2": _config(
        "mamba2",
        num_heads=4,
        head_dim=64,
        state_size=32,
        layer_norm_epsilon=1e-5,
        conv_kernel=4,
        n_groups=1,
        use_bias=False,
        use_conv_bias=True,
        time_step_limit=[0.0, 100.0],
        time_step_rank=8,
    ),
    "jamba": _config(
        "jamba",
        attn_layer_offset=1,
        attn_layer_period=2,
        expert_layer_offset=1,
        expert_layer_period=2,
        mamba_d_conv=4,
        mamba_d_state=16,
        mamba_expand=2,
        num_experts=2,
        num_experts_per_tok=1,
    ),
    "falcon_h1": _config("falcon_h1", _MAMBA2, head_dim=64, mamba_d_ssm=256),
    "nemotron_h": _config(
        "nemotron_h",
        hybrid_override_pattern="M*-M",
        attention_bias=False,
        mamba_num_heads=4,
        mamba_head_dim=64,
        mamba_proj_bias=False,
        ssm_state_size=32,
        conv_kernel=4,
        n_groups=1,
        mlp_bias=False,
        layer_norm_epsilon=1e-5,
        use_bias=False,
        use_conv_bias=True,
        head_dim=64,
    ),
    "lfm2": _config(
        "lfm2",
        norm_eps=1e-5,
        conv_bias=False,
        conv_L_cache=3,
        block_dim=128,
        block_ff_dim=192,
        block_multiple_of=64,
        block_ffn_dim_multiplier=1.0,
        block_auto_adjust_ff_dim=False,
        full_attn_idxs=[1, 3],
    ),
    "recurrent_gemma": _config(
        "recurrent_gemma",
        attention_bias=False,
        conv1d_width=4,
        logits_soft_cap=30.0,
        attention_window_size=96,
        block_types=["recurrent", "recurrent", "attention"],
    ),
}
