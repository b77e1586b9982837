"""Small tokenizers of the kinds there are, made in memory, with mlx-lm's wrapper around them."""

from __future__ import annotations

from typing import Any

from mlx_lm.tokenizer_utils import TokenizerWrapper
from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    trainers,
)
from transformers import PreTrainedTokenizerFast

from tests.tiny_model import TEXT

SPECIAL = ("<s>", "</s>", "<|im_start|>", "<|im_end|>", "[INST]", "[/INST]")
STRUCTURAL = ("<think>", "</think>", "<tool_call>", "</tool_call>", "<unused7>", "<h1>")
WRITING = ("lens", "settle", "\n\n\n", "    ")
"""Tokens that some vocabularies add and that are no structure."""
# transformers carries hardly any types.
_fast_tokenizer: Any = PreTrainedTokenizerFast
CHATML = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
_ALPHABET = [chr(code) for code in range(32, 127)]


def byte_level() -> Any:
    """Like SmolLM2's and Qwen's: byte-level BPE, added tokens looked for in the text as it is."""
    return _wrapped(_byte_level())


def _byte_level() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=340,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXT, trainer)
    return tokenizer


def sentence_piece() -> Any:
    """Like Mistral's and Gemma's: blanks become a letter, one is put first, bytes fall back."""
    tokenizer = _sentence_piece()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    return _wrapped(tokenizer)


def old_sentence_piece() -> Any:
    """Like Llama 2's: a blank comes before each text between two added tokens."""
    tokenizer = _sentence_piece()
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    return _wrapped(tokenizer)


def _sentence_piece() -> Tokenizer:
    letters = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁", *_ALPHABET[1:]]
    merges = [("▁", "t"), ("h", "e"), ("▁t", "he"), ("i", "n"), ("l", "e"), ("le", "n"), ("o", "n")]
    words = [left + right for left, right in merges]
    vocabulary = {
        word: index for index, word in enumerate([*letters, *words, "</s>", "<|im_end|>"])
    }
    tokenizer = Tokenizer(
        models.BPE(
            vocab=vocabulary, merges=merges, unk_token="<unk>", byte_fallback=True, fuse_unk=True
        )
    )
    tokenizer.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    return tokenizer


def unigram() -> Any:
    """Like T5's and ALBERT's: its own words hold tags, which plain text becomes by itself."""
    letters = [(letter, -8.0) for letter in ["▁", *_ALPHABET[1:], "\n"]]
    words = [(name, -1.0) for name in ("<think>", "</think>", "<tool_call>", "<h1>", "▁the")]
    tokenizer = Tokenizer(models.Unigram([("<unk>", -20.0), *letters, *words], unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="first")
    return _wrapped(tokenizer)


def normalising() -> Any:
    """Looks for its added tokens in text without case, width and accents."""
    tokenizer = _byte_level()
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()]
    )
    return _wrapped(tokenizer, is_normalized=True)


def greedy_for_blanks() -> Any:
    """Its added tokens swallow the blanks beside them, which then are part of them."""
    return _wrapped(_byte_level(), swallows_blanks=True)


KINDS = {
    "byte-level": byte_level,
    "sentence-piece": sentence_piece,
    "old-sentence-piece": old_sentence_piece,
    "unigram": unigram,
    "normalising": normalising,
    "greedy": greedy_for_blanks,
}
LOSSLESS = ("byte-level", "sentence-piece")


def _wrapped(
    tokenizer: Tokenizer, is_normalized: bool = False, swallows_blanks: bool = False
) -> Any:
    def added(name: str) -> AddedToken:
        return AddedToken(
            name, normalized=is_normalized, lstrip=swallows_blanks, rstrip=swallows_blanks
        )

    tokenizer.add_special_tokens([added(name) for name in SPECIAL])
    tokenizer.add_tokens([added(name) for name in STRUCTURAL])
    tokenizer.add_tokens([AddedToken(name, normalized=False) for name in WRITING])
    fast = _fast_tokenizer(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        eos_token="<|im_end|>",
        chat_template=CHATML,
        clean_up_tokenization_spaces=False,
    )
    return TokenizerWrapper(fast)
