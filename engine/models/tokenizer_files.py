"""The files from which Hugging Face tokenizers load a byte-level BPE tokenizer."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": True,
    "use_regex": True,
}
# How text is cut before merging; GGUF files hold only the name of the rules.
PRE_TOKENIZERS: Mapping[str, dict[str, Any]] = {
    "gpt-2": BYTE_LEVEL,
    "smollm": {
        "type": "Sequence",
        "pretokenizers": [{"type": "Digits", "individual_digits": True}, BYTE_LEVEL],
    },
}


@dataclass(frozen=True, slots=True)
class ByteLevelTokenizer:
    """A checked vocabulary; token texts are in the byte-level alphabet of GPT-2."""

    pre_tokenizer: str
    tokens: tuple[str, ...]
    merges: tuple[tuple[str, str], ...]
    control_ids: tuple[int, ...]
    user_defined_ids: tuple[int, ...]
    named_ids: Mapping[str, int]
    end_ids: tuple[int, ...]
    chat_template: str | None


def tokenizer_files(
    tokenizer: ByteLevelTokenizer, context_tokens: int, sampling: Mapping[str, float]
) -> dict[str, bytes]:
    """`tokenizer.json`, `tokenizer_config.json` and `generation_config.json`, by file name."""
    ends = list(tokenizer.end_ids)
    generation: dict[str, Any] = {"eos_token_id": ends[0] if len(ends) == 1 else ends, **sampling}
    for name in ("bos", "pad"):
        if name in tokenizer.named_ids:
            generation[f"{name}_token_id"] = tokenizer.named_ids[name]
    contents = {
        "tokenizer.json": _tokenizer_json(tokenizer),
        "tokenizer_config.json": _tokenizer_config(tokenizer, context_tokens),
        "generation_config.json": generation,
    }
    return {
        name: json.dumps(content, ensure_ascii=False, indent=1).encode()
        for name, content in contents.items()
    }


def _tokenizer_json(tokenizer: ByteLevelTokenizer) -> dict[str, Any]:
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": n, **entry} for n, entry in _added_tokens(tokenizer).items()],
        "normalizer": None,
        "pre_tokenizer": PRE_TOKENIZERS[tokenizer.pre_tokenizer],
        "post_processor": None,
        "decoder": {**BYTE_LEVEL, "add_prefix_space": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": {text: number for number, text in enumerate(tokenizer.tokens)},
            "merges": tokenizer.merges,
        },
    }


def _tokenizer_config(tokenizer: ByteLevelTokenizer, context_tokens: int) -> dict[str, Any]:
    config: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "add_bos_token": False,
        "add_prefix_space": False,
        "added_tokens_decoder": {str(n): entry for n, entry in _added_tokens(tokenizer).items()},
        # Read by transformers: texts a chat message must never turn into control tokens.
        "chat_control_tokens": [tokenizer.tokens[n] for n in tokenizer.control_ids],
        "clean_up_tokenization_spaces": False,
        "model_max_length": context_tokens,
    }
    for name, number in tokenizer.named_ids.items():
        config[f"{name}_token"] = tokenizer.tokens[number]
    if tokenizer.chat_template is not None:
        config["chat_template"] = tokenizer.chat_template
    return config


def _added_tokens(tokenizer: ByteLevelTokenizer) -> dict[int, dict[str, Any]]:
    is_special = dict.fromkeys(tokenizer.control_ids, True)
    is_special |= dict.fromkeys(tokenizer.user_defined_ids, False)
    return {
        number: {
            "content": tokenizer.tokens[number],
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": is_special[number],
        }
        for number in sorted(is_special)
    }
