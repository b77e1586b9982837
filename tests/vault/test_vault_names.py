import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault.errors import NotAllowed
from vault.names import (
    check_note_path,
    check_path,
    displayable,
    identity_key,
    is_note_name,
    stem_for,
    stem_of,
    title_of,
)


@pytest.mark.parametrize(
    ("title", "stem"),
    [
        ("Camera bag", "Camera_bag"),
        ("  Camera   bag ", "Camera_bag"),
        ("Camera bag.md", "Camera_bag"),
        ("Camera bag.MD", "Camera_bag"),
        ("50mm f-1.8", "50mm_f-1.8"),
        ("-rf", "-rf"),
        ("line\nbreak\u2028twice", "line_break_twice"),
        ("café", "café"),
        ("cafe\u0301", "café"),
        ("自己打字的键盘", "自己打字的键盘"),
        ("Rock & roll!", "Rock_&_roll!"),
        ("100% wool", "100%_wool"),
        ("👩\u200d🔬 notes", "👩\u200d🔬_notes"),
        ("constant", "constant"),
        ("x" * 200, "x" * 200),
    ],
)
def test_a_title_becomes_a_stem(title: str, stem: str) -> None:
    assert stem_for(title) == stem


@pytest.mark.parametrize(
    "title",
    [
        "",
        "   ",
        ".",
        "..",
        ".hidden",
        "../x",
        "/etc/passwd",
        "a/../../x",
        "..\\..\\x",
        "%2e%2e%2f",
        "a%2Fb",
        "file:///x",
        "C:\\x",
        "~/.ssh/id",
        "a\0b",
        "a\x1bb",
        "ends with dot.",
        "CON",
        "aux",
        "NUL.md",
        "nul.tar.gz",
        "COM1",
        "com¹",
        "LPT9.txt",
        "why?",
        "a*b",
        "a:b",
        "a|b",
        'a"b',
        "a<b",
        "C#",
        "a^b",
        "a[b]",
        "100%% wool",
        "a\u2215b/",
        "．．／x",
        "a／b",
        "a\u202eb",
        "a\u200bb",
        "\ud800",
        "x" * 201,
        "é" * 101,
    ],
)
def test_a_name_that_does_not_travel_is_refused(title: str) -> None:
    with pytest.raises(NotAllowed) as refused:
        stem_for(title)
    str(refused.value).encode()


@given(st.text(max_size=80))
def test_what_is_accepted_is_one_safe_component(title: str) -> None:
    try:
        stem = stem_for(title)
    except NotAllowed:
        return
    assert check_note_path(f"articles/{stem}.md")
    assert not set(stem) & set('<>:"/\\|?*#^[]\0')
    assert len(stem.encode()) <= 200
    assert unicodedata.is_normalized("NFC", stem)
    assert stem_for(title_of(stem)) == stem


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/abs.md",
        "../x.md",
        "a/../../x.md",
        "a//b.md",
        "a/./b.md",
        "a/",
        ".git/config",
        ".GIT/config.md",
        ".git::$INDEX_ALLOCATION/x.md",
        "git~1/x.md",
        "GIT~1./x.md",
        ".git\u200c/x.md",
        "\u200c.git/x.md",
        ".gitattributes",
        ".gitmodules",
        ".obsidian/x.md",
        "a/.hidden.md",
        "a\0b.md",
    ],
)
def test_a_path_out_of_the_notes_is_refused(path: str) -> None:
    with pytest.raises(NotAllowed):
        check_path(path)


@pytest.mark.parametrize(
    "path",
    [
        "RedShift: OLED….md",
        "… etc..md",
        "自己打字的键盘....md",
        "a\\b.md",
        " lead.md",
        "*.md",
        "-rf.md",
        ":(top)x.md",
        "a\nb.md",
        "bad\udcff.md",
        "git~10/x.md",
        "x.MD",
    ],
)
def test_an_existing_odd_path_may_be_opened(path: str) -> None:
    assert check_note_path(path) == path


@pytest.mark.parametrize("path", ["picture.png", "articles", "x.md.txt"])
def test_only_markdown_is_a_note(path: str) -> None:
    with pytest.raises(NotAllowed):
        check_note_path(path)


@pytest.mark.parametrize(
    ("first", "second"),
    [("Note.md", "note.md"), ("café.md", "cafe\u0301.md"), ("Straße", "STRASSE")],
)
def test_twins_share_a_key(first: str, second: str) -> None:
    assert identity_key(first) == identity_key(second)


@pytest.mark.parametrize(
    ("name", "is_note"),
    [
        ("a.md", True),
        ("a.MD", True),
        (".md", False),
        (".a.md", False),
        ("#a.md", False),
        ("a.md~", False),
        ("a.txt", False),
        (".a.md.icloud", False),
    ],
)
def test_leftovers_of_editors_are_no_notes(name: str, is_note: bool) -> None:
    assert is_note_name(name) is is_note


def test_a_name_that_is_not_utf8_can_be_shown() -> None:
    assert displayable("caf\udce9.md") == "caf\ufffd.md"
    assert stem_of("a/b.md") == "b"
