"""Reading safetensors headers, above all those that lie."""

import json
import os
import struct
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import ModelUnavailable
from engine.models.safetensors_header import Tensor, file_tensors, folder_tensors

NORMAL = {"a": {"dtype": "F16", "shape": [2, 3], "data_offsets": [0, 12]}}


def write(file: Path, header: object, data_bytes: int = 12) -> Path:
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    file.write_bytes(struct.pack("<Q", len(raw)) + raw + bytes(data_bytes))
    return file


def entry(**changes: object) -> dict[str, Any]:
    return {"a": {**NORMAL["a"], **changes}}


def test_a_header_gives_names_types_shapes_and_sizes(tmp_path: Path) -> None:
    header = {
        "__metadata__": {"format": "mlx"},
        "scalar": {"dtype": "F32", "shape": [], "data_offsets": [0, 4]},
        "packed": {"dtype": "U32", "shape": [2, 8], "data_offsets": [4, 68]},
        "empty": {"dtype": "BF16", "shape": [0, 5], "data_offsets": [68, 68]},
        "odd": {"dtype": "F6_E2M3", "shape": [4], "data_offsets": [68, 71]},
    }
    file = write(tmp_path / "model.safetensors", header, 71)
    assert file_tensors(file) == (
        Tensor("scalar", "F32", (), 4),
        Tensor("packed", "U32", (2, 8), 64),
        Tensor("empty", "BF16", (0, 5), 0),
        Tensor("odd", "F6_E2M3", (4,), 3),
    )
    assert [t.is_floating for t in file_tensors(file)] == [True, False, True, False]
    assert file_tensors(file)[1].elements == 16


HOSTILE: dict[str, tuple[object, str]] = {
    "not json": (b"{oops", "not valid JSON"),
    "not text": (b"\xff\xfe\x00", "not valid JSON"),
    "a list": ([], "not a table"),
    "deep nesting": (b"[" * 200_000, "not valid JSON"),
    "a huge number": (b'{"a": ' + b"9" * 10_000 + b"}", "not valid JSON"),
    "an entry that is no table": ({"a": 3}, "not a table"),
    "no type": (entry(dtype=None), "has no type"),
    "a type without end": (entry(dtype="F" * 900), "has no type"),
    "no shape": (entry(shape=None), "impossible shape"),
    "a negative shape": (entry(shape=[-2, -3]), "impossible shape"),
    "a fractional shape": (entry(shape=[2.0, 3]), "impossible shape"),
    "a boolean shape": (entry(shape=[True, 6]), "impossible shape"),
    "a text shape": (entry(shape="23"), "impossible shape"),
    "too many dimensions": (entry(shape=[1] * 40), "impossible shape"),
    "a shape beyond any disk": (entry(shape=[1 << 60]), "impossible shape"),
    "one offset": (entry(data_offsets=[0]), "impossible offsets"),
    "offsets backwards": (entry(data_offsets=[12, 0]), "lies outside"),
    "offsets beyond the end": (entry(shape=[7], data_offsets=[0, 14]), "cut short"),
    "a size that is not its shape's": (entry(shape=[2, 2]), "contradicts its shape"),
    "a name twice": (
        b'{"a": {"dtype": "F16", "shape": [1], "data_offsets": [0, 2]},'
        b' "a": {"dtype": "F16", "shape": [1], "data_offsets": [2, 4]}}',
        "names a tensor twice",
    ),
    "tensors over each other": (
        {
            "a": {"dtype": "F16", "shape": [4], "data_offsets": [0, 8]},
            "b": {"dtype": "F16", "shape": [4], "data_offsets": [4, 12]},
        },
        "overlaps another",
    ),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_header_that_lies_is_named_and_refused(case: str, tmp_path: Path) -> None:
    header, complaint = HOSTILE[case]
    file = write(tmp_path / "model.safetensors", header)
    with pytest.raises(ModelUnavailable, match=complaint) as caught:
        file_tensors(file)
    assert str(file) in str(caught.value)
    assert len(str(caught.value)) < 500


def _truncated(file: Path) -> None:
    write(file, NORMAL)
    file.write_bytes(file.read_bytes()[:30])


def _short_data(file: Path) -> None:
    write(file, NORMAL, data_bytes=11)


def _endless(file: Path) -> None:
    file.write_bytes(struct.pack("<Q", (1 << 63) - 1) + b"{}")


def _long_header(file: Path) -> None:
    file.write_bytes(struct.pack("<Q", 200_000_000))
    os.truncate(file, 300_000_000)


BROKEN: dict[str, Callable[[Path], object]] = {
    "an empty file": lambda file: file.write_bytes(b""),
    "seven bytes": lambda file: file.write_bytes(b"1234567"),
    "a header cut short": _truncated,
    "data cut short": _short_data,
    "a header of 2**63 bytes": _endless,
    "a header of 200 MB": _long_header,
    "a folder": lambda file: file.mkdir(),
    "a pipe": os.mkfifo,
    "a link to nowhere": lambda file: file.symlink_to("nowhere"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_refused(case: str, tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    BROKEN[case](file)
    with pytest.raises(ModelUnavailable, match=r"model\.safetensors"):
        file_tensors(file)


def test_a_folder_is_read_through_links_and_without_an_index(tmp_path: Path) -> None:
    blobs, folder = tmp_path / "blobs", tmp_path / "snapshot"
    blobs.mkdir()
    folder.mkdir()
    for number, name in enumerate(("one", "two")):
        blob = write(blobs / f"{number}", {name: NORMAL["a"]})
        (folder / f"model-0000{number}-of-00002.safetensors").symlink_to(blob)
    write(folder / "adapters.safetensors", {"three": NORMAL["a"]})
    assert {tensor.name for tensor in folder_tensors(folder)} == {"one", "two"}


def test_a_tensor_in_two_files_counts_once_with_its_larger_size(tmp_path: Path) -> None:
    write(tmp_path / "model-1.safetensors", NORMAL)
    write(
        tmp_path / "model-2.safetensors",
        {"a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}},
        24,
    )
    assert [tensor.bytes for tensor in folder_tensors(tmp_path)] == [24]


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    file = write(tmp_path / "model.safetensors", NORMAL)
    assert file_tensors(file)[0].name == "a"
    write(file, {"other": NORMAL["a"]})
    assert file_tensors(file)[0].name == "other"


def test_a_folder_without_weights_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="holds no model"):
        folder_tensors(tmp_path)
    with pytest.raises(ModelUnavailable):
        folder_tensors(tmp_path / "nowhere")


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)
_ENTRY = st.fixed_dictionaries(
    {},
    optional={
        "dtype": st.sampled_from(["F16", "F32", "U8", "??"]) | _JSON,
        "shape": st.lists(st.integers(-2, 9), max_size=3) | _JSON,
        "data_offsets": st.lists(st.integers(-2, 40), min_size=2, max_size=2) | _JSON,
    },
)


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=4), _ENTRY | _JSON, max_size=3) | _JSON)
def test_no_header_makes_more_of_a_file_than_it_holds(header: object) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = write(Path(folder) / "model.safetensors", header, 32)
        try:
            tensors = file_tensors(file)
        except ModelUnavailable:
            return
    assert sum(tensor.bytes for tensor in tensors) <= 32


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_get_past_the_reader(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.safetensors"
        file.write_bytes(content)
        try:
            tensors = file_tensors(file)
        except ModelUnavailable:
            return
    try:
        tensors = file_tensors(file)
    except ModelUnavailable:
        return
    assert sum(tensor.bytes for tensor in tensors) <= len(content)
