"""GGUF files that cannot be imported faithfully are refused by name, and leave nothing behind."""

import contextlib
import re
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import ModelUnavailable
from engine.models.gguf_header import read_header
from engine.models.gguf_llama import read_shape
from engine.models.gguf_tokenizer import read_tokenizer
from tests.models.conftest import Convert
from tests.models.tiny_gguf import CONTROL_TOKENS, TinyLlama

TOKENS = TinyLlama().tokens
SQUARE = np.zeros((64, 64), np.float32)

REFUSED_MODELS: dict[str, tuple[TinyLlama, str]] = {
    "architecture": (TinyLlama(metadata={"general.architecture": "gpt2"}), "'gpt2'"),
    "type": (TinyLlama(tensor_types={"blk.1.attn_v.weight": "BF16"}), "blk.1.attn_v.weight.*BF16"),
    "Q5_1": (TinyLlama(tensor_types={"output_norm.weight": "Q5_1"}), "output_norm.weight.*Q5_1"),
    "packed norm": (
        TinyLlama(tensor_types={"blk.0.ffn_norm.weight": "Q8_0"}),
        "blk.0.ffn_norm.weight.*Q8_0",
    ),
    "missing tensor": (TinyLlama(tensors={"blk.0.ffn_up.weight": None}), "blk.0.ffn_up.weight"),
    "missing embedding": (TinyLlama(tensors={"token_embd.weight": None}), "token_embd.weight"),
    "bias": (TinyLlama(tensors={"blk.0.attn_q.bias": SQUARE[0]}), "blk.0.attn_q.bias"),
    "rope factors": (TinyLlama(tensors={"rope_freqs.weight": SQUARE[0]}), "rope_freqs.weight"),
    "wrong shape": (TinyLlama(tensors={"blk.1.attn_k.weight": SQUARE}), "blk.1.attn_k.weight"),
    "experts": (TinyLlama(metadata={"llama.expert_count": 8}), "llama.expert_count"),
    "rope scaling": (TinyLlama(metadata={"llama.rope.scaling.type": "yarn"}), "rope.scaling.type"),
    "sliding window": (
        TinyLlama(metadata={"llama.attention.sliding_window": 64}),
        "sliding_window",
    ),
    "heads by layer": (
        TinyLlama(metadata={"llama.attention.head_count": [4, 4]}),
        "attention.head_count",
    ),
    "more layers than tensors": (
        TinyLlama(metadata={"llama.block_count": 2**32 - 1}),
        "4294967295 layers",
    ),
    "endless rope": (
        TinyLlama(metadata={"llama.rope.freq_base": float("inf")}),
        "rope.freq_base",
    ),
    "no layers": (TinyLlama(metadata={"llama.block_count": 0}), "block_count"),
    "no context": (TinyLlama(metadata={"llama.context_length": None}), "context_length"),
    "uneven heads": (
        TinyLlama(metadata={"llama.attention.head_count_kv": 3}),
        "4 attention heads cannot share 3",
    ),
    "hidden size not shared evenly": (
        TinyLlama(metadata={"llama.attention.head_count": 3, "llama.attention.head_count_kv": 3}),
        "hidden size of 64",
    ),
    "half-rotated heads": (
        TinyLlama(metadata={"llama.rope.dimension_count": 8}),
        "dimension_count",
    ),
    "epsilon of zero": (
        TinyLlama(metadata={"llama.attention.layer_norm_rms_epsilon": 0.0}),
        "layer_norm_rms_epsilon",
    ),
    "sentencepiece": (TinyLlama(metadata={"tokenizer.ggml.model": "llama"}), "'llama'"),
    "unknown rules": (TinyLlama(metadata={"tokenizer.ggml.pre": "llama-bpe"}), "'llama-bpe'"),
    "no rules": (TinyLlama(metadata={"tokenizer.ggml.pre": None}), "None"),
    "start token": (TinyLlama(metadata={"tokenizer.ggml.add_bos_token": True}), "add_bos_token"),
    "space prefix": (
        TinyLlama(metadata={"tokenizer.ggml.add_space_prefix": True}),
        "add_space_prefix",
    ),
    "no tokens": (TinyLlama(metadata={"tokenizer.ggml.tokens": None}), "tokenizer.ggml.tokens"),
    "numbers as tokens": (
        TinyLlama(metadata={"tokenizer.ggml.tokens": list(range(len(TOKENS)))}),
        "tokenizer.ggml.tokens",
    ),
    "a token twice": (
        TinyLlama(metadata={"tokenizer.ggml.tokens": [*TOKENS[:-1], "a"]}),
        "tokenizer.ggml.tokens.*twice",
    ),
    "byte tokens": (
        TinyLlama(metadata={"tokenizer.ggml.token_type": [6] * len(TOKENS)}),
        "type 6",
    ),
    "too few types": (TinyLlama(metadata={"tokenizer.ggml.token_type": [1, 1]}), "token type"),
    "merge of unknown texts": (
        TinyLlama(metadata={"tokenizer.ggml.merges": ["q z"]}),
        "'q z'",
    ),
    "no end": (TinyLlama(metadata={"tokenizer.ggml.eos_token_id": None}), "ends an answer"),
    "end outside": (TinyLlama(metadata={"tokenizer.ggml.eos_token_id": 9999}), "eos_token_id"),
}


def read_all(source: Path) -> None:
    header = read_header(source)
    read_shape(header)
    read_tokenizer(header.metadata)


@pytest.mark.parametrize("name", REFUSED_MODELS)
def test_refused_by_name(name: str, tmp_path: Path) -> None:
    model, reason = REFUSED_MODELS[name]
    source = model.write(tmp_path / "tiny.gguf")
    with pytest.raises(ModelUnavailable, match=reason):
        read_all(source)


def header_bytes(version: int, tensors: int, entries: int, rest: bytes = b"") -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, tensors, entries) + rest


def text(content: bytes) -> bytes:
    return struct.pack("<Q", len(content)) + content


DAMAGED_FILES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "not a GGUF file"),
    "safetensors": (b'\x10\0\0\0\0\0\0\0{"a":1}', "not a GGUF file"),
    "magic only": (b"GGUF", "middle of its header"),
    "version 1": (header_bytes(1, 0, 0), "version 1"),
    "big-endian": (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "little-endian"),
    "more tensors than bytes": (header_bytes(3, 2**62, 0), "middle of its header"),
    "more entries than bytes": (header_bytes(3, 0, 2**64 - 1), "middle of its header"),
    "text longer than the file": (
        header_bytes(3, 0, 1, struct.pack("<Q", 2**63) + bytes(20)),
        "middle of its header",
    ),
    "array longer than the file": (
        header_bytes(3, 0, 1, text(b"k") + struct.pack("<IIQ", 9, 6, 2**60)),
        "middle of its header",
    ),
    "text array longer than the file": (
        header_bytes(3, 0, 1, text(b"k") + struct.pack("<IIQ", 9, 8, 2**60)),
        "middle of its header",
    ),
    "array of arrays": (
        header_bytes(3, 0, 1, text(b"k") + struct.pack("<IIQ", 9, 9, 1) + bytes(8)),
        "unknown type 9",
    ),
    "unknown value type": (
        header_bytes(3, 0, 1, text(b"key") + struct.pack("<I", 77) + bytes(8)),
        "unknown type 77",
    ),
    "not UTF-8": (header_bytes(3, 0, 1, text(b"\xff\xfe") + bytes(12)), "UTF-8"),
    "a key twice": (
        header_bytes(3, 0, 2, (text(b"k") + struct.pack("<II", 4, 1)) * 2),
        "'k' appears twice",
    ),
    "no dimensions": (
        header_bytes(3, 1, 0, text(b"t") + struct.pack("<I", 0) + bytes(40)),
        "0 dimensions",
    ),
    "empty dimension": (
        header_bytes(3, 1, 0, text(b"t") + struct.pack("<IQIQ", 1, 0, 0, 0) + bytes(40)),
        "impossible shape",
    ),
    "rows cut inside a block": (
        header_bytes(3, 1, 0, text(b"t") + struct.pack("<IQIQ", 1, 33, 8, 0) + bytes(40)),
        "impossible shape",
    ),
    "tensor beyond the end": (
        header_bytes(3, 1, 0, text(b"t") + struct.pack("<IQIQ", 1, 2**40, 0, 0) + bytes(40)),
        "last byte of the tensor 't'",
    ),
    "tensor out of place": (
        header_bytes(3, 1, 0, text(b"t") + struct.pack("<IQIQ", 1, 1, 0, 3) + bytes(80)),
        "out of place",
    ),
    "alignment of zero": (
        header_bytes(3, 0, 1, text(b"general.alignment") + struct.pack("<II", 4, 0)),
        "alignment",
    ),
    "type no one knows": (
        header_bytes(3, 1, 0, text(b"t") + struct.pack("<IQIQ", 1, 32, 4242, 0) + bytes(40)),
        "'t'.*number 4242",
    ),
}


@pytest.mark.parametrize("name", DAMAGED_FILES)
def test_damaged_header(name: str, tmp_path: Path) -> None:
    content, reason = DAMAGED_FILES[name]
    source = tmp_path / "damaged.gguf"
    source.write_bytes(content)
    with pytest.raises(ModelUnavailable, match=reason):
        read_header(source)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="cannot be read"):
        read_header(tmp_path / "nowhere.gguf")


def test_every_cut_is_noticed(tmp_path: Path) -> None:
    whole = TinyLlama(layers=1).write(tmp_path / "whole.gguf").read_bytes()
    source = tmp_path / "cut.gguf"
    header_end = whole.rindex(b"output_norm.weight")
    cuts = [*range(0, header_end, 211), *range(header_end, len(whole), 9973), len(whole) - 256]
    for cut in cuts:
        source.write_bytes(whole[:cut])
        with pytest.raises(ModelUnavailable):
            read_header(source)


@pytest.fixture(scope="module")
def sound_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return TinyLlama(layers=1).write(tmp_path_factory.mktemp("sound") / "sound.gguf").read_bytes()


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_flipped_bytes_never_crash_the_reader(
    data: st.DataObject, sound_bytes: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    damaged = bytearray(sound_bytes)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(4, 9000))] = data.draw(st.integers(0, 255))
    source = tmp_path_factory.getbasetemp() / "flipped.gguf"
    source.write_bytes(damaged)
    with contextlib.suppress(ModelUnavailable):
        read_all(source)


def test_user_defined_and_unused_tokens_are_kept(tmp_path: Path) -> None:
    kinds = [3 if token in CONTROL_TOKENS else 1 for token in TOKENS]
    kinds[-1], kinds[-2] = 4, 5
    source = TinyLlama(metadata={"tokenizer.ggml.token_type": kinds}).write(tmp_path / "t.gguf")
    tokenizer = read_tokenizer(read_header(source).metadata)
    assert tokenizer.user_defined_ids == (len(TOKENS) - 1,)
    assert tokenizer.control_ids == (0, 1, 2)
    assert tokenizer.end_ids == (2, 0)


def folder_names(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir() if not entry.name.endswith(".lock")}


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (TinyLlama(metadata={"general.architecture": "qwen2"}), "'qwen2'"),
        (TinyLlama(tensor_types={"output_norm.weight": "BF16"}), "BF16"),
        (TinyLlama(metadata={"llama.vocab_size": 1000}), "token_embd.weight"),
        (TinyLlama(metadata={"tokenizer.ggml.tokens": TOKENS[:-1]}), "tokens|token type"),
    ],
)
def test_converter_says_why_and_leaves_nothing(
    model: TinyLlama, reason: str, tmp_path: Path, convert: Convert
) -> None:
    source = model.write(tmp_path / "tiny.gguf")
    last_line = convert(source, tmp_path / "model")
    assert re.match(f"refused .*({reason})", last_line)
    assert folder_names(tmp_path) == {"tiny.gguf"}


def test_converter_keeps_a_folder_that_is_there(tmp_path: Path, convert: Convert) -> None:
    source = TinyLlama().write(tmp_path / "tiny.gguf")
    (tmp_path / "model").mkdir()
    assert "exists already" in convert(source, tmp_path / "model")
    assert folder_names(tmp_path) == {"tiny.gguf", "model"}
    assert not list((tmp_path / "model").iterdir())
