from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vault.examples import EXAMPLES
from vault.article.footnote_edits import add_citation, conversation_hash, written_definition
from vault.article.lines import ByteOffsets
from vault.article.opening_edits import (
    remove_infobox_field,
    set_categories,
    set_infobox_field,
    set_stub,
    set_title,
)
from vault.article.page import Article, open_article, parse_article
from vault.article.section_edits import (
    append_to_section,
    insert_section,
    remove_section,
    replace_section,
)
from vault.article.sections import Section
from vault.article.splices import Edit, Edits, apply_edits, apply_to_bytes, trimmed
from vault.errors import EditRefused, ReadOnlyArticle

BREAKS = ["\n", "\r\n", "\r"]
PAGE = """# Lens

The **lens** is light.

## Use

Old text.

### Indoors

Inside.

## See also

- [[Bag]]

## References

[^1]: `conv:0a1b2c3d` (2024-05-06, chat)
"""


def changed(text: str, edit: Callable[[Article], Edits], line_break: str = "\n") -> str:
    article = parse_article(text.replace("\n", line_break))
    result = apply_edits(article.text, edit(article))
    assert "\n" not in result.replace(line_break, "")
    return result.replace(line_break, "\n")


def section(article: Article, title: str) -> Section:
    found = article.section(title)
    assert found is not None
    return found


def replaced(title: str, text: str, *, whole: bool = False) -> Callable[[Article], Edits]:
    return lambda page: replace_section(page, section(page, title), text, with_subsections=whole)


def appended(title: str, text: str) -> Callable[[Article], Edits]:
    return lambda page: append_to_section(page, section(page, title), text)


SECTIONS: list[tuple[str, Callable[[Article], Edits], str]] = [
    (PAGE, replaced("Use", "New\ntext."), PAGE.replace("Old text.", "New\ntext.")),
    (
        PAGE,
        replaced("Use", "\n\nAll new.\n\n", whole=True),
        PAGE.replace("Old text.\n\n### Indoors\n\nInside.", "All new."),
    ),
    (PAGE, replaced("Indoors", ""), PAGE.replace("Inside.\n", "")),
    ("## A\n## B\n", replaced("A", "x"), "## A\n\nx\n\n## B\n"),
    ("## A", replaced("A", "x"), "## A\n\nx"),
    ("## A\n", replaced("A", "x"), "## A\n\nx\n"),
    ("A\n---\nx\n\n\n# B", replaced("A", "y"), "A\n---\ny\n\n\n# B"),
    ("## A\nx", replaced("A", "y"), "## A\ny"),
    (PAGE, appended("Use", "More."), PAGE.replace("Old text.\n", "Old text.\n\nMore.\n")),
    (PAGE, appended("See also", "- [[Cap]]"), PAGE.replace("[[Bag]]\n", "[[Bag]]\n- [[Cap]]\n")),
    (PAGE, appended("See also", "Text."), PAGE.replace("[[Bag]]\n", "[[Bag]]\n\nText.\n")),
    ("## A\n- x", appended("A", "- y"), "## A\n- x\n- y"),
    ("## A\n## B\n", appended("A", "- y"), "## A\n\n- y\n\n## B\n"),
    ("## A\n```\nx\n```\n## B\n", appended("A", "y"), "## A\n```\nx\n```\n\ny\n\n## B\n"),
    (
        PAGE,
        lambda page: insert_section(page, "Care", "Keep dry."),
        PAGE.replace("## See also", "## Care\n\nKeep dry.\n\n## See also"),
    ),
    (
        PAGE,
        lambda page: insert_section(page, "Notes", "A note."),
        PAGE.replace("## References", "## Notes\n\nA note.\n\n## References"),
    ),
    (
        PAGE,
        lambda page: insert_section(page, "History", "- Previously x."),
        PAGE.replace("## See also", "## History\n\n- Previously x.\n\n## See also"),
    ),
    ("# A", lambda page: insert_section(page, "B", "x"), "# A\n\n## B\n\nx"),
    ("", lambda page: insert_section(page, "B", "x"), "## B\n\nx\n"),
    ("# A\n\n", lambda page: insert_section(page, "B", ""), "# A\n\n## B\n"),
    (
        PAGE,
        lambda page: remove_section(page, section(page, "Use")),
        PAGE.replace("## Use\n\nOld text.\n\n### Indoors\n\nInside.\n\n", ""),
    ),
]


@pytest.mark.parametrize("line_break", BREAKS)
@pytest.mark.parametrize(("text", "edit", "expected"), SECTIONS)
def test_sections_are_edited_in_place(
    text: str, edit: Callable[[Article], Edits], expected: str, line_break: str
) -> None:
    if "\n" in text or line_break == "\n":
        assert changed(text, edit, line_break) == expected


@pytest.mark.parametrize(
    "text", ["```py\nopen", "<!-- open", "~~~", "a\n\n<pre>\nopen", "````\n```", "<script>"]
)
def test_text_that_would_swallow_what_follows_is_refused(text: str) -> None:
    article = parse_article(PAGE)
    for edit in (replaced("Use", text), appended("Indoors", text)):
        with pytest.raises(EditRefused, match="swallow"):
            edit(article)
    with pytest.raises(EditRefused, match="swallow"):
        insert_section(article, "Care", text)


@pytest.mark.parametrize("title", ["", "  ", "a\nb", "a\r# b"])
def test_a_section_title_is_one_line(title: str) -> None:
    with pytest.raises(EditRefused, match="title"):
        insert_section(parse_article(PAGE), title, "text")


BOX = "# A\n\n```info\ntype: x\naliases: y\n```\n\nLead.\n"
OPENINGS: list[tuple[str, Callable[[Article], Edits], str]] = [
    ("# A\n\nx\n", lambda page: set_title(page, "B c"), "# B c\n\nx\n"),
    ("A\n===\nx\n", lambda page: set_title(page, "B"), "# B\nx\n"),
    ("# A #\n", lambda page: set_title(page, "A"), "# A #\n"),
    ("x\n", lambda page: set_title(page, "B"), "# B\n\nx\n"),
    ("---\na: b\n---\nx\n", lambda page: set_title(page, "B"), "---\na: b\n---\n# B\n\nx\n"),
    ("---\na: b\n---", lambda page: set_title(page, "B"), "---\na: b\n---\n# B\n"),
    ("", lambda page: set_title(page, "B"), "# B\n"),
    ("# A\n\nx\n", lambda page: set_stub(page, True), "# A\n{{stub}}\n\nx\n"),
    ("# A\nx\n", lambda page: set_stub(page, True), "# A\n{{stub}}\n\nx\n"),
    ("# A", lambda page: set_stub(page, True), "# A\n{{stub}}\n"),
    ("# A\n{{Stub}}\n\nx\n", lambda page: set_stub(page, False), "# A\n\nx\n"),
    ("# A\n{{stub}}\n", lambda page: set_stub(page, True), "# A\n{{stub}}\n"),
    ("# A\nx\n", lambda page: set_stub(page, False), "# A\nx\n"),
    (
        "# A\n{{stub}}\n\nx\n",
        lambda page: set_categories(page, ["B c", "D"]),
        "# A\n{{stub}}\ncategories: [[Category:B c]], [[Category:D]]\n\nx\n",
    ),
    (
        "# A\ncategories: [[Category:B]]\n\nCategories: [[Category:C]]\n\nx\n",
        lambda page: set_categories(page, ["C"]),
        "# A\ncategories: [[Category:C]]\n\n\nx\n",
    ),
    ("# A\ncategories: [[Category:B]]\nx\n", lambda page: set_categories(page, []), "# A\nx\n"),
    (BOX, lambda page: set_infobox_field(page, "Type", "z"), BOX.replace("type: x", "type: z")),
    (BOX, lambda page: set_infobox_field(page, "k", "v"), BOX.replace("alia", "k: v\nalia")),
    (BOX, lambda page: remove_infobox_field(page, "type"), BOX.replace("type: x\n", "")),
    (BOX, lambda page: remove_infobox_field(page, "none"), BOX),
    (
        "```info\na:\nb:x\n```\n",
        lambda page: set_infobox_field(page, "a", "1"),
        "```info\na: 1\nb:x\n```\n",
    ),
    (
        "```info\na: long value\n```\n",
        lambda page: set_infobox_field(page, "a", "v"),
        "```info\na: v\n```\n",
    ),
    (
        "# A\n{{stub}}\n\nLead.\n",
        lambda page: set_infobox_field(page, "k", "v"),
        "# A\n{{stub}}\n\n```info\nk: v\n```\n\nLead.\n",
    ),
    ("# A", lambda page: set_infobox_field(page, "k", "v"), "# A\n\n```info\nk: v\n```\n"),
    ("Lead.", lambda page: set_infobox_field(page, "k", "v"), "```info\nk: v\n```\n\nLead."),
]


@pytest.mark.parametrize("line_break", BREAKS)
@pytest.mark.parametrize(("text", "edit", "expected"), OPENINGS)
def test_the_lines_above_the_sections_are_edited(
    text: str, edit: Callable[[Article], Edits], expected: str, line_break: str
) -> None:
    if "\n" in text or line_break == "\n":
        assert changed(text, edit, line_break) == expected


@pytest.mark.parametrize(
    "edit",
    [
        lambda page: set_title(page, "a\nb"),
        lambda page: set_title(page, " "),
        lambda page: set_categories(page, ["a]]b"]),
        lambda page: set_categories(page, ["a, b"]),
        lambda page: set_infobox_field(page, "a:b", "c"),
        lambda page: set_infobox_field(page, "```", "c"),
        lambda page: set_infobox_field(page, "a", "b\n```"),
    ],
)
def test_what_would_break_the_page_is_refused(edit: Callable[[Article], Edits]) -> None:
    with pytest.raises(EditRefused):
        edit(parse_article(BOX))


@pytest.mark.parametrize("line_break", BREAKS)
@pytest.mark.parametrize(
    ("text", "number", "expected"),
    [
        (
            PAGE,
            2,
            PAGE + "[^2]: `conv:11223344` (2024-06-01, chat) why\n",
        ),
        (
            PAGE.replace("0a1b2c3d", "11223344"),
            1,
            PAGE.replace("0a1b2c3d", "11223344"),
        ),
        (
            "# A\n",
            1,
            "# A\n\n## References\n\n[^1]: `conv:11223344` (2024-06-01, chat) why\n",
        ),
        (
            "# A\nx[^7]\n## References\n",
            8,
            "# A\nx[^7]\n## References\n\n[^8]: `conv:11223344` (2024-06-01, chat) why\n",
        ),
        (
            "# A\n## References\n[^1]: x",
            2,
            "# A\n## References\n[^1]: x\n[^2]: `conv:11223344` (2024-06-01, chat) why",
        ),
    ],
)
def test_a_citation_is_added_once(text: str, number: int, expected: str, line_break: str) -> None:
    numbers = []

    def edit(page: Article) -> Edits:
        found, edits = add_citation(page, "11223344", "2024-06-01", "chat", "why")
        numbers.append(found)
        return edits

    assert changed(text, edit, line_break) == expected
    assert numbers == [number]
    assert changed(expected, edit, line_break) == expected


def test_how_a_conversation_is_cited() -> None:
    assert conversation_hash("0A1B2C3D-4e5f-6071-8293-a4b5c6d7e8f9") == "0a1b2c3d"
    assert written_definition(3, "0a1b2c3d", "2024-01-02", "a (b), c\n", " d\n e ") == (
        "[^3]: `conv:0a1b2c3d` (2024-01-02, a b c) d e"
    )
    with pytest.raises(EditRefused):
        written_definition(3, "short", "2024-01-02", "chat")


def test_edits_that_overlap_are_refused() -> None:
    for edits in ((Edit(0, 3, "x"), Edit(2, 4, "y")), (Edit(3, 2, ""),), (Edit(4, 9, ""),)):
        with pytest.raises(EditRefused):
            apply_edits("abcde", edits)
    assert apply_edits("abcde", (Edit(3, 3, "y"), Edit(1, 3, "x"), Edit(3, 3, "z"))) == "axyzde"


TEXTS = st.lists(
    st.sampled_from(
        ["\n", "\r\n", "\r", "\x0c", "\u2028", "\x85", "\t", " ", "a", "é", "自", "🍀"]
    ),
    max_size=40,
).map("".join)


@st.composite
def edited_texts(draw: st.DrawFn) -> tuple[str, Edits]:
    text = draw(TEXTS)
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    edits = zip(places[::2], places[1::2], strict=False)
    return text, tuple(Edit(start, end, draw(TEXTS)) for start, end in edits)


@EXAMPLES
@given(edited_texts(), st.booleans())
def test_bytes_outside_the_edited_ranges_never_change(
    edited: tuple[str, Edits], has_mark: bool
) -> None:
    text, edits = edited
    mark = b"\xef\xbb\xbf" if has_mark else b""
    content = mark + text.encode()
    article = open_article(content)
    assert article.spliced(content, ()) == content
    result = article.spliced(content, edits)
    assert result == mark + apply_edits(text, edits).encode()
    offsets = ByteOffsets(text, has_byte_order_mark=has_mark)
    assert apply_to_bytes(content, edits, offsets) == result
    kept = 0
    position = 0
    for edit in edits:
        start, end = article.byte_range(edit.start, edit.end)
        length = start - kept
        assert result[position : position + length] == content[kept:start]
        position += length + len(edit.replacement.encode())
        kept = end
        assert article.edit_of_bytes(start, end, edit.replacement) == edit
    assert result[position:] == content[kept:]


@EXAMPLES
@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_a_trimmed_edit_does_the_same_in_less(head: str, old: str, new: str, tail: str) -> None:
    text = head + old + tail
    edit = Edit(len(head), len(head) + len(old), new)
    edits = trimmed(text, edit)
    assert apply_edits(text, edits) == head + new + tail
    assert all(each.start >= edit.start and each.end <= edit.end for each in edits)
    assert bool(edits) == (old != new)


LINES = st.sampled_from(
    [
        *("# A", "## B", "### C", "text", "- item", "```", "~~~", "> quote", "1. x", "", "", "---"),
        *("## See also", "## References", "[^1]: x", "a[^1]", "<!--", "-->", "    code", "=="),
        *("{{stub}}", "categories: [[Category:X]]", "```info", "k: v", "\x0c", "| a |", "自"),
    ]
)
PAGES = st.lists(st.tuples(LINES, st.sampled_from(["\n", "\r\n", "\r"])).map("".join), max_size=18)
NEW = st.lists(LINES, max_size=4).map("\n".join)


@EXAMPLES
@given(PAGES.map("".join), st.integers(0, 20), NEW)
def test_an_edited_section_leaves_the_others_as_they_are(text: str, which: int, new: str) -> None:
    article = parse_article(text)
    if not article.sections:
        return
    index = which % len(article.sections)
    chosen = article.sections[index]
    for edit in (replace_section, append_to_section):
        try:
            edits = edit(article, chosen, new)
        except EditRefused:
            continue
        after = parse_article(apply_edits(text, edits))
        shift = len(after.text) - len(text)
        assert after.text[: chosen.body] == text[: chosen.body]
        assert after.text[chosen.end + shift :] == text[chosen.end :]
        later = [each for each in after.headings if each.start >= chosen.end + shift]
        assert [each.source for each in later] == [
            each.source for each in article.headings if each.start >= chosen.end
        ]


@EXAMPLES
@given(PAGES.map("".join))
def test_a_field_that_is_set_is_read_back(text: str) -> None:
    article = parse_article(text)
    for key, value in (("k", "[[new]]"), ("other", "x; y")):
        box = parse_article(apply_edits(text, set_infobox_field(article, key, value))).infobox
        assert box is not None
        found = box.find(key)
        assert found is not None
        assert found.value == value
    after = parse_article(apply_edits(text, set_categories(article, ["New", "X"])))
    assert after.opening.categories == ("New", "X")
    assert parse_article(apply_edits(text, set_stub(article, True))).opening.stub is not None
    titled = parse_article(apply_edits(text, set_title(article, "T")))
    assert titled.heading is not None
    assert titled.heading.title == "T"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("café\n".encode("latin-1"), "not UTF-8"),
        ("# wide\n".encode("utf-16"), "UTF-16"),
        (b"# a\n\0\n", "not a text file"),
        (b"\x89PNG\r\n\x1a\n\0\0", "not a text file"),
        (b"\xed\xa0\x80", "not UTF-8"),
    ],
)
def test_what_is_not_utf8_opens_read_only_with_a_reason(content: bytes, why: str) -> None:
    article = open_article(content)
    assert article.read_only_reason is not None
    assert why in article.read_only_reason
    with pytest.raises(ReadOnlyArticle, match="cannot be changed"):
        article.spliced(content, (Edit(0, 0, "x"),))
