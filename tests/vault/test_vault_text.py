import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault.text import decode, encode, restore_line_breaks, with_plain_breaks

BREAKS = ["\n", "\r\n", "\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
TEXTS = st.lists(
    st.one_of(st.sampled_from([*BREAKS, "", "a", "bb", "a", " ", "\t", "é", "\ufeff", "---"])),
    max_size=40,
).map("".join)


def as_an_editor_would(text: str) -> str:
    """What an editor built on str.splitlines, such as Textual's, makes of a text unedited."""
    lines = text.splitlines()
    if text.endswith(("\n", "\r\n", "\r")) or not text:
        lines.append("")
    return "\n".join(lines)


@given(TEXTS)
def test_an_unedited_text_keeps_its_bytes_through_any_editor(text: str) -> None:
    assert restore_line_breaks(text, text) == text
    assert restore_line_breaks(text, as_an_editor_would(text)) == text


@given(TEXTS, TEXTS, st.text(alphabet="xyz", min_size=1))
def test_an_edited_line_leaves_the_others_alone(head: str, tail: str, word: str) -> None:
    before = head + "\nthe edited line\n" + tail
    edited = as_an_editor_would(before).replace("the edited line", word)
    assert restore_line_breaks(before, edited) == head + f"\n{word}\n" + tail


@pytest.mark.parametrize(
    ("original", "edited", "expected"),
    [
        ("a\r\nb\r\n", "a\nnew\nb\n", "a\r\nnew\r\nb\r\n"),
        ("a\r\nb", "a\nb\nc", "a\r\nb\r\nc"),
        ("a\r\nb\r\n", "a\nb", "a\r\nb"),
        ("a\rb\r", "a\nb\nc\n", "a\rb\rc\r"),
        ("a\nb\r\nc\n", "a\nB\nc\n", "a\nB\r\nc\n"),
        ("one\r\ntwo\nthree\r\n", "one\ntwo\nTHREE\nfour\n", "one\r\ntwo\nTHREE\r\nfour\r\n"),
        ("a\x0cb\n", "a\nb!\n", "a\x0cb!\n"),
        ("", "x\n", "x\n"),
        ("x\n", "", ""),
        ("a\u2028b", "a\u2028b c", "a\u2028b c"),
    ],
)
def test_new_lines_take_the_usual_break(original: str, edited: str, expected: str) -> None:
    assert restore_line_breaks(original, edited) == expected


def test_two_edits_far_apart_keep_a_mixed_middle() -> None:
    before = "first\n" + "a\r\nb\n" * 50 + "last\n"
    edited = as_an_editor_would(before).replace("first", "FIRST").replace("last", "LAST")
    assert restore_line_breaks(before, edited) == "FIRST\n" + "a\r\nb\n" * 50 + "LAST\n"


@pytest.mark.parametrize(
    ("content", "text", "is_editable"),
    [
        (b"plain\n", "plain\n", True),
        (b"", "", True),
        (b"\xef\xbb\xbfmarked\r\n", "marked\r\n", True),
        ("\ufeff\ufefftwice".encode(), "\ufefftwice", True),
        (b"caf\xe9", "caf\ufffd", False),
        (b"\xc0\xaf overlong", "\ufffd\ufffd overlong", False),
        (b"\xed\xa0\x80 surrogate", "\ufffd\ufffd\ufffd surrogate", False),
        ("wide".encode("utf-16"), "wide", False),
        (b"\x7fELF\x02\x01\x01\0\0", None, False),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", None, False),
        (b"a" * 9000 + b"\0", "a" * 9000 + "\0", True),
    ],
)
def test_only_utf8_may_be_edited(content: bytes, text: str | None, is_editable: bool) -> None:
    decoded = decode(content)
    assert decoded.text == text
    assert (decoded.problem is None) is is_editable
    if is_editable and decoded.text is not None:
        assert encode(decoded.text, has_byte_order_mark=decoded.has_byte_order_mark) == content


@given(st.binary(max_size=200))
def test_decoding_never_fails_and_can_be_shown(content: bytes) -> None:
    decoded = decode(content)
    if decoded.text is not None:
        decoded.text.encode()
        if decoded.problem is None:
            mark = decoded.has_byte_order_mark
            assert encode(decoded.text, has_byte_order_mark=mark) == content


def test_a_lone_surrogate_is_saved_as_a_replacement() -> None:
    assert encode("a\ud800b", has_byte_order_mark=False) == "a\ufffdb".encode()


def test_plain_breaks_keep_rare_separators() -> None:
    assert with_plain_breaks("a\r\nb\rc\x0cd\u2028e") == "a\nb\nc\x0cd\u2028e"
