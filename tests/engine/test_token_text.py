"""Tokens become text piece by piece exactly as the tokenizer decodes them all at once."""

from __future__ import annotations

import random
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mlx_lm.tokenizer_utils import load as load_tokenizer
from tokenizers import Tokenizer, decoders, models
from transformers import PreTrainedTokenizerFast

from engine.worker.token_text import TokenBytes, decode
from tests.engine.tokenizer_kinds import KINDS

TEXTS = (
    "plain words",
    " leading and  double blanks ",
    "    indented\n        code\n\n\nend",
    "Größe, naïve, 記憶, память, ذاكرة, 🙂👩‍👩‍👧 and so on",
    "it 's , here . <think> and </s>",
)


@lru_cache
def kind(name: str) -> tuple[Any, TokenBytes]:
    tokenizer = KINDS[name]()
    return tokenizer, TokenBytes(tokenizer)


def said(tokens: TokenBytes, ids: list[int]) -> list[str]:
    """What each token added, and the end."""
    reader = tokens.reader()
    return [*(reader.add(token) for token in ids), reader.finish()]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("text", TEXTS)
def test_texts_come_as_they_are_decoded(name: str, text: str) -> None:
    tokenizer, tokens = kind(name)
    ids = tokenizer.encode(text, add_special_tokens=False)
    assert "".join(said(tokens, ids)) == decode(tokenizer, ids)


@pytest.mark.parametrize("name", KINDS)
@given(data=st.data())
def test_any_stream_of_tokens_comes_as_it_is_decoded(name: str, data: st.DataObject) -> None:
    tokenizer, tokens = kind(name)
    ids = data.draw(st.lists(st.integers(0, len(tokenizer) - 1), max_size=30))
    whole = decode(tokenizer, ids)
    pieces = said(tokens, ids)
    if "sentence-piece" in name and "\ufffd" in whole:
        # There the tokenizer gives up on a whole run of bytes for one that is wrong.
        assert "".join(pieces).count("\ufffd") <= whole.count("\ufffd")
    else:
        assert "".join(pieces) == whole


@pytest.mark.model
def test_the_built_in_models_tokens_come_as_they_are_decoded(builtin_model: Path) -> None:
    tokenizer: Any = load_tokenizer(builtin_model)
    tokens = TokenBytes(tokenizer)
    seed = random.randrange(10_000)
    dice = random.Random(seed)
    for _ in range(30):
        ids = [dice.randrange(len(tokenizer)) for _ in range(60)]
        assert "".join(said(tokens, ids)) == decode(tokenizer, ids), f"seed {seed}"


BYTES = [
    (b"\xc3\xa9", "é"),
    (b"\xff", "\ufffd"),
    (b"\xc3", "\ufffd"),
    (b"\xf0\x9f\x99", "\ufffd"),
    (b"\xc3\xa9\xe2\x82x", "é\ufffdx"),
    (b"\xe2\x82\xac\x80", "€\ufffd"),
    (b"\xf0\x9f\x99\x82\xf0\x9f\x99\x82", "🙂🙂"),
]


@pytest.mark.parametrize("name", ["byte-level", "sentence-piece", "old-sentence-piece"])
@pytest.mark.parametrize(("values", "text"), BYTES)
def test_bytes_that_are_no_character_are_one_mark(name: str, values: bytes, text: str) -> None:
    tokenizer, tokens = kind(name)
    by_byte = {tokens.of(id): id for id in reversed(range(len(tokenizer)))}
    pieces = said(tokens, [by_byte[bytes([value])] for value in values])
    assert "".join(pieces) == text
    assert all("\ufffd" not in piece for piece in pieces[:-1]) or "\ufffd" in text


def test_a_blank_is_lost_only_where_the_tokenizer_loses_it() -> None:
    tokenizer, tokens = kind("sentence-piece")
    ids = tokenizer.encode("the\n the", add_special_tokens=False)
    assert "".join(said(tokens, ids)) == "the\n the"
    (blank,) = (id for id in range(300) if tokenizer.convert_ids_to_tokens(id) == "▁")
    assert said(tokens, [blank, blank]) == ["", " ", ""]


def test_ids_without_a_token_say_nothing() -> None:
    for name in KINDS:
        tokenizer, tokens = kind(name)
        assert "".join(said(tokens, [len(tokenizer) + 5])) == ""


def test_a_tokenizer_of_another_kind_is_read_through_its_own_decoding() -> None:
    vocabulary = {"[UNK]": 0, "mem": 1, "##ory": 2, "is": 3, ",": 4}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.decoder = decoders.WordPiece(cleanup=False)
    make: Any = PreTrainedTokenizerFast
    wrapped = make(tokenizer_object=tokenizer, unk_token="[UNK]")
    tokens = TokenBytes(wrapped)
    assert not tokens.is_exact
    assert said(tokens, [1, 2, 3, 4]) == ["mem", "ory", " is", " ,", ""]


def test_each_token_costs_the_same_however_long_the_text_is() -> None:
    tokenizer, tokens = kind("byte-level")
    calls = 0

    def count(*arguments: Any, **options: Any) -> str:
        nonlocal calls
        calls += 1
        return ""

    tokens.of(5)
    reader = tokens.reader()
    decode_all, tokenizer._tokenizer.decode = tokenizer._tokenizer.decode, count
    try:
        for _ in range(1000):
            reader.add(5)
    finally:
        tokenizer._tokenizer.decode = decode_all
    assert calls == 0
