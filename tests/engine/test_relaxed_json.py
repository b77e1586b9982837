"""JSON as small models write it is read in one pass and never evaluated."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.worker.relaxed_json import DEEPEST, read_relaxed

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**15), 10**15)
    | st.floats(-1e9, 1e9, allow_nan=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)


@given(value=st.lists(values, max_size=3), is_ascii=st.booleans(), indent=st.none() | st.just(1))
def test_what_is_json_is_read_as_json(value: object, is_ascii: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=is_ascii, indent=indent)
    assert read_relaxed(text) == [value]
    assert read_relaxed(f"So:\n```json\n{text}\n```\n") == [value]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{'a': 'it''s'}", None),
        ("{'a': 'it\\'s', \"b\": \"'\"}", [{"a": "it's", "b": "'"}]),
        ("{a: 1, b_c: [1, 2,], 'd': {},}", [{"a": 1, "b_c": [1, 2], "d": {}}]),
        ("{'a': True, 'b': None, 'c': false}", [{"a": True, "b": None, "c": False}]),
        ('{"a": 1', [{"a": 1}]),
        ('{"a": [1, {"b": 2', [{"a": [1, {"b": 2}]}]),
        ('{"a": "cut of', None),
        ('{"a": 1}\n{"a": 2}', [{"a": 1}, {"a": 2}]),
        ('{"a" "b"}', None),
        ('{"a": b}', None),
        ('{"a": 1.5e3, "b": -0.5}', [{"a": 1500.0, "b": -0.5}]),
        ('{"a": 01}', None),
        ('{"a": "\\ud83d\\ude42"}', [{"a": "🙂"}]),
        ('{"a": "\\ud83d"}', [{"a": "\ud83d"}]),
        ('{"a": "line\nbreak\t\\x"}', [{"a": "line\nbreak\tx"}]),
        ('{"a": (1)}', None),
        ('{"a": __import__("os")}', None),
        ("[" * (DEEPEST + 2) + "]" * (DEEPEST + 2), None),
        ("[" * 10_000, None),
        ("no object", None),
        ("", None),
    ],
)
def test_what_is_nearly_json(text: str, expected: object) -> None:
    if expected is None:
        with pytest.raises(ValueError, match=r"\w"):
            read_relaxed(text)
    else:
        assert read_relaxed(text) == expected


@given(text=st.text("{}[]:,'\"\\`\n ab01-.eu", max_size=40))
def test_no_text_breaks_it(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert all(isinstance(value, dict | list) for value in read_relaxed(text))
