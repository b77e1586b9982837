"""Tokenizers of model families, made in memory: their tags as tokens or spelled, their templates.

The templates are written for these tests after the families' formats.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from mlx_lm.tokenizer_utils import TokenizerWrapper, _infer_tool_parser
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from engine.worker.markup import Markup, markup_of
from tests.tiny_model import TEXT

# mlx-lm carries hardly any types.
_infer: Any = _infer_tool_parser
CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@dataclass(frozen=True, eq=False)
class Family:
    """What makes a family: the tokens it has for its tags, and its template."""

    name: str
    tokens: tuple[str, ...]
    template: str = CHATML
    settings: tuple[tuple[str, Any], ...] = ()


def tokenizer_of(family: Family, is_spelled: bool = False) -> Any:
    """Its tokenizer as mlx-lm loads it; spelled, the tags are no tokens."""
    tokenizer = _base()
    tokenizer.add_special_tokens(["<|im_start|>", "<|im_end|>"])
    if not is_spelled:
        tokenizer.add_tokens([AddedToken(name, normalized=False) for name in family.tokens])
    wrapped: Any = PreTrainedTokenizerFast
    fast = wrapped(
        tokenizer_object=tokenizer,
        eos_token="<|im_end|>",
        chat_template=family.template,
        clean_up_tokenization_spaces=False,
    )
    settings = dict(family.settings)
    name = settings.pop("parser", None) or _infer(fast)
    if name is not None:
        module: Any = importlib.import_module(f"mlx_lm.tool_parsers.{name}")
        settings["tool_parser"] = module.parse_tool_call
        settings["tool_call_start"] = module.tool_call_start
        settings["tool_call_end"] = module.tool_call_end
    return TokenizerWrapper(fast, **settings)


@lru_cache
def markup_for(family: Family, is_spelled: bool = False) -> tuple[Any, Markup]:
    """Its tokenizer and its markup."""
    tokenizer = tokenizer_of(family, is_spelled)
    return tokenizer, markup_of(tokenizer)


def spell(tokenizer: Any, text: str) -> list[int]:
    """A text byte by byte, no added token in it."""
    words = tokenizer.backend_tokenizer.pre_tokenizer.pre_tokenize_str(text)
    return [tokenizer.convert_tokens_to_ids(letter) for word, _ in words for letter in word]


def ids_of(tokenizer: Any, text: str, cuts: Sequence[bool] = ()) -> list[int]:
    """A text as tokens: added tokens as such, the rest whole, or byte by byte where `cuts` say."""
    ids: list[int] = []
    for place, token in enumerate(tokenizer.encode(text, add_special_tokens=False)):
        is_cut = bool(cuts) and cuts[place % len(cuts)]
        if is_cut and token not in tokenizer.added_tokens_decoder:
            ids += [
                tokenizer.convert_tokens_to_ids(letter)
                for letter in tokenizer.convert_ids_to_tokens(token)
            ]
        else:
            ids.append(token)
    return ids


def _base() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=340,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    # Pieces of tags, as large vocabularies have them.
    tokenizer.train_from_iterator([*TEXT, "</think> think> tool_call> <function=" * 8], trainer)
    return tokenizer
