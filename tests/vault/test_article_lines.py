import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vault.examples import EXAMPLES
from vault.article.lines import ByteOffsets, line_table, with_breaks

PIECES = ["\n", "\r\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "a", " ", "é", "自", "🍀", "\ufeff"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\n\n", ["a", ""]),
        ("a\r\nb\rc\nd", ["a", "b", "c", "d"]),
        ("\r\n\r", ["", ""]),
        ("a\x0cb\u2028c\x85d\x0be", ["a\x0cb\u2028c\x85d\x0be"]),
    ],
)
def test_only_three_line_breaks_count(text: str, lines: list[str]) -> None:
    table = line_table(text)
    assert [table.content(line) for line in range(table.count)] == lines


@EXAMPLES
@given(TEXTS)
def test_lines_cover_the_text_and_know_their_offsets(text: str) -> None:
    table = line_table(text)
    assert "".join(text[table.start(i) : table.start(i + 1)] for i in range(table.count)) == text
    for offset in range(len(text)):
        line = table.line_of(offset)
        assert table.start(line) <= offset < table.start(line + 1)


@EXAMPLES
@given(TEXTS, st.booleans(), st.integers(0, 3))
def test_bytes_and_characters_agree(text: str, has_mark: bool, repeats: int) -> None:
    text *= 40**repeats if repeats < 3 else 400
    offsets = ByteOffsets(text, has_byte_order_mark=has_mark)
    content = (b"\xef\xbb\xbf" if has_mark else b"") + text.encode()
    for offset in {0, len(text) // 3, len(text) // 2, len(text)}:
        position = offsets.byte(offset)
        assert content[position:].decode() == text[offset:]
        assert offsets.character(position) == offset


def test_a_byte_within_a_character_belongs_to_it() -> None:
    offsets = ByteOffsets("a🍀b")
    assert [offsets.character(position) for position in range(7)] == [0, 1, 1, 1, 1, 2, 3]


@pytest.mark.parametrize(
    ("text", "offset", "expected"),
    [
        ("a\r\nb\n", 3, "\r\n"),
        ("a\nb\r\nc\r\n", 0, "\n"),
        ("a\nb\r\nc\r\n", 5, "\r\n"),
        ("a\r\nb", 4, "\r\n"),
        ("a", 0, "\n"),
        ("", 0, "\n"),
        ("a\rb", 2, "\r"),
    ],
)
def test_new_lines_take_the_break_used_around_them(text: str, offset: int, expected: str) -> None:
    assert line_table(text).break_near(offset) == expected


@EXAMPLES
@given(TEXTS, st.sampled_from(["\n", "\r\n", "\r"]))
def test_breaks_are_rewritten_and_nothing_else(text: str, line_break: str) -> None:
    changed = with_breaks(text, line_break)
    assert set(re.findall("\r\n|\r|\n", changed)) <= {line_break}
    assert with_breaks(changed, "\n") == with_breaks(text, "\n")
