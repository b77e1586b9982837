"""What the sanitiser shows, drops and keeps."""

import re
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from tui.text.line import to_line
from tui.text.sanitise import StreamSanitiser, hidden_characters, to_display
from tui.text.width import elide

# What may never come out, whatever goes in.
FORBIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
    "\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)
NASTY = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("\x1b\r\n\r\n\x0b\x0c\x85\u2028\u202e\u2066\u200b\u200d\ufe0f\x9b\x07\x7f"),
        st.sampled_from("\u0301\u0302\u0489\u20dd\U000e0041\U000e0100\ud83d\udc68e\u0915ak"),
    ),
    max_size=60,
)

DISPLAYED = [
    ("\x1b[31mRED", "␛[31mRED"),
    ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
    ("\x9b2J\x9d0;t\x9c", "\ufffd2J\ufffd0;t\ufffd"),
    ("safe\b\b\b\bevil", "safe␈␈␈␈evil"),
    ("rm -rf\rsafe", "rm -rf␍safe"),
    ("a\x00b\x7fc\x0e\x0f", "a␀b␡c␎␏"),
    ("a\tb\nc", "a\tb\nc"),
    ("a\r\nb\x0bc\x0cd\x85e\u2028f\u2029g", "a\nb\nc\nd\ne\nf\ng"),
    ("a\r\r\nb", "a␍\nb"),
    ("\u202egnp.md", "⟨202E⟩gnp.md"),
    ("\u2066x\u2069", "⟨2066⟩x⟨2069⟩"),
    ("\ud83d\ude00", "\ufffd\ufffd"),
    ("hi\U000e0041\U000e0042\U000e0100", "hi"),
    ("pay\u200bpal", "pay\u200bpal"),
    (
        "می\u200cخواهم 👩\u200d👩\u200d👧 ❤\ufe0f क्षि",
        "می\u200cخواهم 👩\u200d👩\u200d👧 ❤\ufe0f क्षि",
    ),
    ("e\u0301\u0302\u0303\u0304\u0305\u0306x", "e\u0301\u0302\u0303\u0304x"),
    ("[red]x[/red] [@click=app.quit]", "[red]x[/red] [@click=app.quit]"),
    ("\\u001b]52;", "\\u001b]52;"),
]

LINES = [
    ("a\nb\tc\r\nd", "a b c d"),
    ("pay\u200bpal", "paypal"),
    ("\ufeffname\u2060\u200e\u200f\u061c", "name"),
    ("a\u00adb\u3164\u115f\u180e\u2800", "a⟨00AD⟩b⟨3164⟩⟨115F⟩⟨180E⟩⟨2800⟩"),
    ("\u200b\u200b", "(blank)"),
    (" \u00a0 ", "(blank)"),
    ("\u0301", "(blank)"),
    ("\U000e0041", "(blank)"),
    ("", ""),
    ("👩\u200d👧", "👩\u200d👧"),
    ("\x1b[31mred.md", "␛[31mred.md"),
]


@pytest.mark.parametrize(("text", "shown"), DISPLAYED)
def test_display(text: str, shown: str) -> None:
    assert to_display(text) == shown
    assert to_display(text, multiline=False) == shown.replace("\n", " ").replace("\t", " ")


@pytest.mark.parametrize(("text", "shown"), LINES)
def test_line(text: str, shown: str) -> None:
    assert to_line(text) == shown


def test_every_forbidden_character_is_replaced_and_every_other_kept() -> None:
    for code in range(0x110000):
        character = chr(code)
        shown = to_display(character)
        if FORBIDDEN.match(character):
            assert not FORBIDDEN.search(shown), f"U+{code:04X}"
        else:
            assert shown == character, f"U+{code:04X}"


def test_no_mark_escapes_the_count() -> None:
    """Every zero-width character of Unicode is held to four a base, also mixed with accents."""
    for code in range(0xA0, 0x110000):
        mark = chr(code)
        if unicodedata.category(mark) in {"Mn", "Me", "Cf"} and not FORBIDDEN.match(mark):
            assert to_display("a" + mark * 9 + "b") == "a" + mark * 4 + "b", f"U+{code:04X}"
            mixed = to_display("a" + f"{mark}\u0301" * 9 + "b")
            assert len(mixed) == 6, f"U+{code:04X}"


@given(NASTY)
@example("a\u0301\U000e0041\u0301" * 9)
def test_what_comes_out_is_harmless_and_stays_as_it_is(text: str) -> None:
    shown = to_display(text)
    assert not FORBIDDEN.search(shown)
    assert to_display(shown) == shown
    assert not re.search("[\n\t\r]", to_display(text, multiline=False))
    assert to_line(to_line(text)) == to_line(text)


@given(NASTY, NASTY)
def test_it_is_stateless_but_for_line_ends_and_marks(left: str, right: str) -> None:
    straddles = left.endswith("\r") and right.startswith("\n")
    opening = to_display(right)[:1]
    has_mark = opening != "" and unicodedata.category(opening) in {"Mn", "Me", "Cf"}
    if not straddles and not has_mark:
        assert to_display(left) + to_display(right) == to_display(left + right)


@settings(max_examples=500)
@given(st.lists(NASTY, max_size=8))
@example(["a\u0301\u0301\u0301", "\u0301\u0301", "\u0301b"])
@example(["\r", "\n", "\r", "\r\n", "x\r"])
@example(["a" + "\u0301" * 4, "\U000e0041", "\u0301"])
@example(["a\u0301\u0301", "\u200d\u0301", "", "\u0301"])
def test_a_stream_in_pieces_equals_the_whole(pieces: list[str]) -> None:
    stream = StreamSanitiser()
    shown = "".join([*map(stream.feed, pieces), stream.finish()])
    whole = "".join(pieces)
    assert shown == to_display(whole)
    assert stream.hidden == hidden_characters(whole)


SEQUENCE = "x\x1b]52;c;aGk=\x1b\\y\r\nz\x9b31m" + "e\u0301\u0301\u0301\u0301\u0301" + "\u202e\x1b"


@pytest.mark.parametrize("cut", range(len(SEQUENCE) + 1))
def test_a_sequence_cut_anywhere_is_as_harmless_as_a_whole_one(cut: int) -> None:
    stream = StreamSanitiser()
    shown = stream.feed(SEQUENCE[:cut]) + stream.feed(SEQUENCE[cut:]) + stream.finish()
    assert shown == to_display(SEQUENCE)
    assert StreamSanitiser().feed("next message") == "next message"


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("plain", 0),
        ("a\U000e0041\U000e0100b", 2),
        ("e" + "\u0301" * 50, 46),
        ("\x1b\u202e\u200b", 0),
        ("e" + "\u0301" * 100_000, 99_996),
        ("a" + "\u0301\U000e0041" * 6, 8),
    ],
)
def test_what_is_left_out_is_counted(text: str, hidden: int) -> None:
    assert hidden_characters(text) == hidden


@pytest.mark.parametrize(
    ("text", "cells", "shown"),
    [
        ("short", 5, "short"),
        ("shorter", 5, "shor…"),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("日本語", 1, "…"),
        ("日本語", 0, ""),
        ("word and more", 6, "word…"),
        ("👩\u200d👩\u200d👧x", 2, "…"),
        ("👩\u200d👩\u200d👧xy", 3, "👩\u200d👩\u200d👧…"),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301…"),
        ("", 3, ""),
    ],
)
def test_eliding_by_cells(text: str, cells: int, shown: str) -> None:
    assert elide(text, cells) == shown
    assert to_line(text, cells) == shown


@given(NASTY, st.integers(0, 30))
def test_a_line_is_never_wider_than_asked(text: str, cells: int) -> None:
    line = to_line(text, cells)
    assert cell_len(line) <= cells
    assert cells == 0 or line == to_line(text) or line.endswith("…")


def test_a_megabyte_line_is_cut_without_measuring_all_of_it() -> None:
    assert to_line("x" * 1_000_000, 5) == "xxxx…"
    assert to_display("\x1b" * 1_000_000) == "␛" * 1_000_000
