"""Makes a small, complete model folder: random llama weights and a byte-level BPE tokenizer."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

CONTEXT_WINDOW = 512
LAYERS, HEADS, KV_HEADS, HEAD_DIM, WIDTH, INNER = 2, 4, 2, 16, 64, 128
SPECIAL_TOKENS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
STRUCTURAL_TOKENS = ("<think>", "</think>", "<tool_call>", "</tool_call>")
TEXT = (
    "Memory is a notebook in which every page is dated. ",
    "Which lens did I settle on for the trip? The 50mm, after trying the zoom. ",
    "Größe, naïve, 記憶, память, ذاكرة, 🙂👩‍👩‍👧 and so on and on.",
)
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
THINKING_TEMPLATE = TEMPLATE.replace(
    "assistant\n{%",
    "assistant\n{% if enable_thinking is false %}<think>\n\n</think>\n\n{% endif %}{%",
)


def write_tiny_model(folder: Path, thinks: bool = False) -> Path:
    """Write the folder and return it; the same every time."""
    folder.mkdir(parents=True)
    tokenizer = _tokenizer(thinks)
    tokenizer.save(str(folder / "tokenizer.json"))
    size = tokenizer.get_vocab_size(with_added_tokens=True)
    _write(folder / "config.json", _config(size, tokenizer.token_to_id("<|im_end|>")))
    _write(
        folder / "tokenizer_config.json",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "eos_token": "<|im_end|>",
            "bos_token": "<|im_start|>",
            "clean_up_tokenization_spaces": False,
            "chat_template": THINKING_TEMPLATE if thinks else TEMPLATE,
        },
    )
    save_file(_weights(size), folder / "model.safetensors", metadata={"format": "mlx"})
    return folder


def _tokenizer(thinks: bool) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=380,
        special_tokens=list(SPECIAL_TOKENS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXT, trainer)
    if thinks:
        tokenizer.add_tokens([AddedToken(name, normalized=False) for name in STRUCTURAL_TOKENS])
    return tokenizer


def _config(vocabulary_size: int, end_token: int | None) -> dict[str, Any]:
    return {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS,
        "intermediate_size": INNER,
        "num_attention_heads": HEADS,
        "num_key_value_heads": KV_HEADS,
        "head_dim": HEAD_DIM,
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "vocab_size": vocabulary_size,
        "max_position_embeddings": CONTEXT_WINDOW,
        "tie_word_embeddings": False,
        "eos_token_id": end_token,
        "torch_dtype": "float32",
    }


def _weights(vocabulary_size: int) -> dict[str, np.ndarray[Any, np.dtype[np.float32]]]:
    random = np.random.default_rng(7)
    shapes = {
        "model.embed_tokens.weight": (vocabulary_size, WIDTH),
        "lm_head.weight": (vocabulary_size, WIDTH),
        "model.norm.weight": (WIDTH,),
    }
    for layer in range(LAYERS):
        shapes |= {
            f"model.layers.{layer}.{name}.weight": shape
            for name, shape in {
                "self_attn.q_proj": (HEADS * HEAD_DIM, WIDTH),
                "self_attn.k_proj": (KV_HEADS * HEAD_DIM, WIDTH),
                "self_attn.v_proj": (KV_HEADS * HEAD_DIM, WIDTH),
                "self_attn.o_proj": (WIDTH, HEADS * HEAD_DIM),
                "mlp.gate_proj": (INNER, WIDTH),
                "mlp.up_proj": (INNER, WIDTH),
                "mlp.down_proj": (WIDTH, INNER),
                "input_layernorm": (WIDTH,),
                "post_attention_layernorm": (WIDTH,),
            }.items()
        }
    return {
        name: np.ones(shape, np.float32)
        if "norm" in name
        else random.normal(0, 0.3, shape).astype(np.float32)
        for name, shape in shapes.items()
    }


def _write(file: Path, content: dict[str, Any]) -> None:
    file.write_text(json.dumps(content), encoding="utf-8")
