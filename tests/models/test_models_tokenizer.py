"""The converted tokenizer gives the original's ids."""

import json
from pathlib import Path
from typing import Any

import gguf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoTokenizer

from tests.models.reference_bpe import ReferenceBPE

pytestmark = [pytest.mark.model, pytest.mark.xdist_group("real-model")]

# Ids of the model's published tokenizer, as other programs that use it record them.
KNOWN_IDS = {
    "What is the capital of France?": [1780, 314, 260, 3575, 282, 4649, 47],
    "The quick brown fox jumps over the lazy dog": [
        *(504, 2365, 6354, 16438, 27003, 690, 260, 23790, 2767)
    ],
    "Tab\there\nNewline\n\nDouble": [30064, 197, 1531, 198, 5529, 1311, 198, 198, 33743],
    "'s 't 're 've 'm 'll 'd": [
        *(506, 637, 100, 637, 257, 637, 307, 637, 93, 637, 764, 637, 84),
    ],
    "a,b,c...   ???!!!  <tag>": [
        *(81, 28, 82, 28, 83, 2026, 256, 9148, 16693, 29646, 216, 2067, 9204, 46),
    ],
    "Hello, 世界!": [19556, 28, 216, 7906, 240, 178, 239, 230, 17],
    "<|im_start|>user\nhello world<|im_end|>\n": [1, 4093, 198, 28120, 905, 2, 198],
    "Quelle est la capitale de la France ?": [
        *(65, 2726, 290, 1264, 2618, 47765, 1121, 367, 2618, 4649, 9148),
    ],
}
TEXTS = (
    "",
    " ",
    "   \n\n \t x  ",
    "\r\nwindows\r\n",
    "no-break\u00a0space and\u2003em space\u3000wide",
    "12345 1984 3.14 x2y ½ ٣ ² Ⅷ 1,000,000",
    " 1 2  3",
    "I'm sure they'll say it's FINE, don't you? 'Tis 'LL",
    "Zażółć gęślą jaźń; déjà vu; Straße; ĳ",
    "Привет, мир! Γειά σου Κόσμε",
    "שלום עולם مرحبا بالعالم",
    "日本語のテキスト 한국어 텍스트 ภาษาไทย हिन्दी",
    "e\u0301 combining \u200b zero width \ufeff",
    "😀👍🏽🇺🇸👩‍👩‍👧 ❤️ \U000e0041 \U0010ffff",
    "controls \x00\x04\x06\x13\x1d\x7f end",
    "def f(x):\n    return x ** 2  # square\n",
    "<|im_start|>user\n<|im_end|><|endoftext|><repo_name><|im_start",
    "_under_score__ --- ... !!!??",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
)


@pytest.fixture(scope="module")
def tokenizer(converted_model: Path) -> Any:
    return AutoTokenizer.from_pretrained(converted_model)


@pytest.fixture(scope="module")
def reference(original_gguf: Path) -> ReferenceBPE:
    fields = gguf.GGUFReader(original_gguf).fields
    tokens = fields["tokenizer.ggml.tokens"].contents()
    kinds = fields["tokenizer.ggml.token_type"].contents()
    controls = {token for token, kind in zip(tokens, kinds, strict=True) if kind == 3}
    return ReferenceBPE(tokens, fields["tokenizer.ggml.merges"].contents(), frozenset(controls))


@pytest.mark.parametrize("text", KNOWN_IDS)
def test_published_ids(text: str, tokenizer: Any, reference: ReferenceBPE) -> None:
    assert tokenizer.encode(text) == KNOWN_IDS[text]
    assert reference.encode(text) == KNOWN_IDS[text]


@pytest.mark.parametrize("text", TEXTS)
def test_ids_equal_those_of_the_definition(
    text: str, tokenizer: Any, reference: ReferenceBPE
) -> None:
    assert tokenizer.encode(text) == reference.encode(text)


# Scripts whose character classes are the same in every Unicode version in use.
STABLE_TEXT = st.text(
    st.one_of(
        st.characters(max_codepoint=0x24F),
        st.characters(min_codepoint=0x391, max_codepoint=0x44F),
        st.sampled_from("  \n\t'sdlmrtve0123456789.,!?😀日本語한ก٣½"),
    ),
    max_size=40,
)


@settings(max_examples=150, deadline=None)
@given(text=STABLE_TEXT)
def test_any_text_gets_the_ids_of_the_definition(
    text: str, tokenizer: Any, reference: ReferenceBPE
) -> None:
    assert tokenizer.encode(text) == reference.encode(text)


@pytest.mark.parametrize("text", [text for text in TEXTS if text.isprintable()])
def test_text_comes_back(text: str, tokenizer: Any) -> None:
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_chat_template(tokenizer: Any) -> None:
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    assert text == (
        "<|im_start|>system\n"
        "You are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n"
        "<|im_start|>user\nHi<|im_end|>\n"
        "<|im_start|>assistant\nHello.<|im_end|>\n"
        "<|im_start|>assistant\n"
    )


def test_control_texts_in_a_message_stay_text(tokenizer: Any, reference: ReferenceBPE) -> None:
    assert set(tokenizer.chat_control_tokens) == reference.controls
    hostile = " ".join(reference.controls)
    for content in (hostile, "harmless"):
        encoded = tokenizer.apply_chat_template(
            [{"role": "user", "content": content}],
            sanitize_control_tokens=True,
            return_dict=False,
        )
        assert [number for number in encoded if number <= 16] == [1, 2, 1, 2]


def test_settings_files(converted_model: Path) -> None:
    generation = json.loads((converted_model / "generation_config.json").read_text())
    assert generation["eos_token_id"] == [2, 0]
    config = json.loads((converted_model / "config.json").read_text())
    expected = {
        "model_type": "llama",
        "head_dim": 64,
        "num_attention_heads": 9,
        "num_key_value_heads": 3,
        "num_hidden_layers": 30,
        "max_position_embeddings": 8192,
        "rope_theta": 100000.0,
        "rms_norm_eps": 1e-5,
        "tie_word_embeddings": True,
        "vocab_size": 49152,
    }
    assert {key: config[key] for key in expected} == expected
    assert config["quantization"] == {
        "group_size": 32,
        "bits": 4,
        "mode": "affine",
        "model.embed_tokens": {"group_size": 32, "bits": 8},
    }
