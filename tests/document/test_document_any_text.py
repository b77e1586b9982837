"""Any text at any width: nothing too wide, nothing lost, nothing that moves a cursor."""

from __future__ import annotations

import os
import re
import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.document.pages import seen_lines
from tui.document.document import read_document
from tui.document.flow import Flow
from tui.document.layout.lay import lay
from tui.document.wrap import wrap

EXAMPLES = 1500 if os.environ.get("ZIB_HARDEN") else 60

_PIECES = st.sampled_from(
    [
        *"ab#*_`~[]()<>|!-+=:;$%^&\\\"'. \t\n",
        "\n\n", "\r\n", "  \n", "- ", "1. ", "> ", "> [!note]- x\n", "- [ ] ", "# ", "## ", "```\n",
        "```info\nkey: value\n```\n", "~~~py\nx = 1\n~~~\n", "| a | b |\n|---|:-:|\n| c | d |\n",
        "[[Page#S|label]]", "![[Page]]", "![alt](a.png)", "[x](y.md)", "https://e.org/a", "[^1]",
        "[^1]: note\n", "---\n", "---\nk: v\n---\n", "$x$", "$$\ny\n$$\n", "==m==", "%%c%%",
        "<!-- c -->", "<br>", "&#x202e;", "&amp;", "{{stub}}", "^id", "#tag",
        "汉字", "，", "한국", "é", "e\u0301", "👨\u200d👩\u200d👧", "🇩🇪", "1\ufe0f\u20e3",
        "\u200b", "\u00a0",
        "\x1b[31m", "\x07", "\x85", "\u2028", "\u202e", "\ud800", "\x00", "\U000e0041",
        "word", "long" * 9,
    ]
)  # fmt: skip
TEXTS = st.lists(_PIECES, max_size=40).map("".join)
WIDTHS = st.integers(min_value=4, max_value=120)
_WORDS = st.text(alphabet="abcdeéßЖ汉字한", min_size=1, max_size=14)
_SHAPES = st.sampled_from(
    ["{}", "- {}", "1. {}", "> {}", "# {}", "### {}", "- [ ] {}", "> [!tip] {}", "**{}**", "*{}*",
     "[[{}]]", "    {}", "```\n{}\n```", "| {} |\n|-|\n| {} |", "[^n]: {}", "- a\n  - {}", "~~{}~~"]
)  # fmt: skip


def is_control(character: str) -> bool:
    """Whether a terminal would do something instead of drawing it."""
    return unicodedata.category(character) == "Cc" or character in "\u2028\u2029\u202a\u202e\u2066"


@settings(max_examples=EXAMPLES, deadline=None)
@given(TEXTS, WIDTHS)
def test_no_line_is_too_wide_and_none_holds_a_control_character(text: str, width: int) -> None:
    for block in read_document(text).blocks:
        for line in seen_lines(block, width):
            assert cell_len(line.text) <= width
            assert not any(map(is_control, line.text))


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(st.tuples(_SHAPES, st.lists(_WORDS, min_size=1, max_size=6)), max_size=6), WIDTHS)
def test_every_word_is_shown(parts: list[tuple[str, list[str]]], width: int) -> None:
    text = "\n\n".join(shape.replace("{}", " ".join(words)) for shape, words in parts)
    shown = "".join(
        line.text[line.margin :] for b in read_document(text).blocks for line in lay(b, width).lines
    )
    bare = re.sub(r"[\s│┼─]", "", shown)
    for _, words in parts:
        for word in words:
            assert word in bare or not _is_unbroken(word, width)


def _is_unbroken(word: str, width: int) -> bool:
    """Whether a word has room in the narrowest column there is."""
    return cell_len(word) <= min(width // 3, 6)


@settings(max_examples=EXAMPLES, deadline=None)
@given(TEXTS, WIDTHS)
def test_the_text_of_a_block_is_on_its_lines(text: str, width: int) -> None:
    for block in read_document(text).blocks:
        laid = lay(block, width)
        for line in laid.lines:
            shown = line.text[line.margin :]
            assert laid.text[line.start : line.start + len(shown)] == shown


@settings(max_examples=EXAMPLES, deadline=None)
@given(TEXTS, WIDTHS, st.lists(st.integers(min_value=0, max_value=80), max_size=6))
def test_laid_out_as_seen_or_at_once_is_the_same(text: str, width: int, places: list[int]) -> None:
    document = read_document(text)
    lazily, at_once = Flow(document, width), Flow(document, width)
    while at_once.lay_next() is not None:
        pass
    for place in places:
        top = min(place, max(lazily.height - 5, 0))
        lazily.settle(top, 5)
    while lazily.lay_next() is not None:
        pass
    assert lazily.height == at_once.height
    lines = [lazily.line(number) for number in range(lazily.height)]
    assert lines == [at_once.line(number) for number in range(at_once.height)]
    assert None not in lines


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(st.sampled_from([*"ab 汉。（é\n—", "e\u0301", "👩\u200d💻", " \u0301"])), WIDTHS)
def test_wrapping_loses_only_spaces(pieces: list[str], width: int) -> None:
    text = "".join(pieces)
    spans = wrap(text, width)
    assert "".join(text[a:b] for a, b in spans).replace(" ", "") == re.sub("[ \n]", "", text)
    assert all(cell_len(text[a:b]) <= width for a, b in spans)
