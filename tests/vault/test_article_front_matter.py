import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.vault.examples import EXAMPLES
from vault.article.front_matter import FrontMatter
from vault.article.front_matter_edits import remove_property, set_property
from vault.article.page import parse_article
from vault.article.splices import apply_edits
from vault.errors import EditRefused

BREAKS = ["\n", "\r\n", "\r"]


def front_of(inner: str, line_break: str = "\n") -> FrontMatter:
    page = f"---\n{inner}\n---\nbody\n".replace("\n", line_break)
    front = parse_article(page).front_matter
    assert front is not None
    return front


READ = [
    ("title: Plain", ("Plain",)),
    ("title:   spaced   ", ("spaced",)),
    ("title: Governance: Rootkeeper", ("Governance: Rootkeeper",)),
    ("title: 2026-05-26", ("2026-05-26",)),
    ("title: 2024-02-30", ("2024-02-30",)),
    ("title: 1.10", ("1.10",)),
    ("title: 0123", ("0123",)),
    ("title: 12:30", ("12:30",)),
    ("title: no", ("no",)),
    ("title: null", ("null",)),
    ("title: 'it''s'", ("it's",)),
    ('title: "a \\"b\\" \\u00e9\\n"', ('a "b" é\n',)),
    ('title: "bad \\q escape"', ("bad \\q escape",)),
    ("title: text # comment", ("text",)),
    ("title: 'text' # comment", ("text",)),
    ("title: a#b", ("a#b",)),
    ("title: # only a comment", ()),
    ("title:", ()),
    ("title: [[Page]]", ("[[Page]]",)),
    ("title: [[A]], [[B]]", ("[[A]], [[B]]",)),
    ("title: {{date}}", ("{{date}}",)),
    ("title: @x", ("@x",)),
    ("title: &x value", ("&x value",)),
    ("title: one\n  two\n  three", ("one two three",)),
    ("title: 'one\n  two'", ("one two",)),
    ('title: "one\n\n  two"', ("one\ntwo",)),
    ("title:\n  below", ("below",)),
    ("title: |\n  one\n    two\n", ("one\n  two",)),
    ("title: >-\n  one\n  two", ("one two",)),
    ("title: [a, 'b, c', \"d\"]", ("a", "b, c", "d")),
    ("title: []", ()),
    ("title: [\n  a,\n  b\n]", ("a", "b")),
    ("title: [[[A]], [[B, C]]]", ("[[A]]", "[[B, C]]")),
    ("title:\n- a\n- b", ("a", "b")),
    ("title:\n  - a\n\n  # note\n  - 'b: c' # x\n  -", ("a", "b: c")),
    ("title:\n  - [[A]]\n  - x: y", ("[[A]]", "x: y")),
    ("title:\n  nested: 1\n  more:\n    - x", ()),
    ("title: {a: b}", ()),
    ("TITLE: cased", ("cased",)),
    ('"title": quoted key', ("quoted key",)),
    ("title: first\ntitle: last", ("last",)),
    ("other: 1\n\n# a comment\ntitle: x\nlater: 2", ("x",)),
    ("多言: 1\ntitle: 値", ("値",)),
    ("title: a\x0cb\u2028c", ("a\x0cb\u2028c",)),
]


@pytest.mark.parametrize(("inner", "values"), READ)
@pytest.mark.parametrize("line_break", BREAKS)
def test_every_value_is_read_as_a_string(
    inner: str, values: tuple[str, ...], line_break: str
) -> None:
    front = front_of(inner, line_break)
    found = front.find("title")
    assert found is not None
    assert found.texts == values
    assert front.problem is None


@pytest.mark.parametrize(
    ("inner", "problem"),
    [
        ("just text", "line 2 is no property"),
        ("title: x\n{{date}}", "line 3 is no property"),
        ("title: 'open", "line 2 holds a quote that is not closed"),
        ('title: "open\nother: x', "line 2 holds a quote that is not closed"),
        ("title: [a, b", "line 2 holds a list that is nested or not closed"),
        ("title: [[a], [b]]", "line 2 holds a list that is nested or not closed"),
        ("title: [a, [b]]", "line 2 holds a list that is nested or not closed"),
        ("title: 'a' b", "line 2 goes on behind its value"),
        ("title: [a] b", "line 2 goes on behind its value"),
        ("tags:\n\t- a", "line 3 is indented by a tab"),
        ("- a\n- b", "line 2 is no property"),
        ('{"title": "x"}', "it is written as JSON"),
        ("{broken", "it is written as JSON"),
        ("[" * 3000, "line 2 is no property"),
        ('{"a":' * 3000, "it is written as JSON"),
        ("title: " + "x" * 70_000, "it is larger than 64 KiB"),
    ],
)
def test_a_malformed_block_is_shown_and_never_edited(inner: str, problem: str) -> None:
    front = front_of(inner)
    assert front.problem == problem
    article = parse_article(f"---\n{inner}\n---\nbody\n")
    with pytest.raises(EditRefused, match="left alone"):
        set_property(article, "title", "new")
    with pytest.raises(EditRefused, match="left alone"):
        remove_property(article, "title")


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: x\n",
        "--\ntitle: x\n--\n",
        "----\ntitle: x\n----\n",
        "\n---\ntitle: x\n---\n",
        " ---\ntitle: x\n---\n",
        "+++\ntitle = 1\n+++\n",
        "text\n---\ntitle: x\n---\n",
        "---\ntitle: x\n ---\n",
        "---",
        "",
    ],
)
def test_only_a_closed_block_at_the_top_is_front_matter(text: str) -> None:
    assert parse_article(text).front_matter is None


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("---\n---\nbody", "body"),
        ("---  \na: b\n---\t\nbody", "body"),
        ("---\r\na: b\r\n...\r\nbody", "body"),
        ("---\ra: b\r---\rbody", "body"),
        ("---\na: b\n---", ""),
        ("---\na: b\n---\n---\nc: d\n---\n", "---\nc: d\n---\n"),
        ("\ufeff---\na: b\n---\nbody", "body"),
    ],
)
def test_the_block_ends_at_the_first_closing_fence(text: str, rest: str) -> None:
    front = parse_article(text).front_matter
    assert front is not None
    assert text[front.end :] == rest


@pytest.mark.parametrize(
    ("inner", "names"),
    [
        ("tags:", ()),
        ("tags: null", ()),
        ("tags: one", ("one",)),
        ("tags: one, two", ("one", "two")),
        ("tags: 'one, two'", ("one, two",)),
        ("tags: [1984, x]", ("1984", "x")),
        ("tags:\n- a\n- a\n- b", ("a", "b")),
        ("tag: old", ("old",)),
        ("tags: a\ntag: b", ("a", "b")),
        ('{"tags": ["a", null, 3]}', ("a", "3")),
        ("Course:\n - CS335", ()),
    ],
)
def test_names_are_read_however_they_are_listed(inner: str, names: tuple[str, ...]) -> None:
    assert front_of(inner).names("tags", "tag") == names


SET: list[tuple[str, str, str | list[str], str]] = [
    ("a: 1\nb: 2", "a", "3", "a: 3\nb: 2"),
    ("a: 1 # why\nb: 2", "a", "3", "a: 3 # why\nb: 2"),
    ("a:\nb: 2", "a", "3", "a: 3\nb: 2"),
    ("a: 'x'", "a", "it's", "a: 'it''s'"),
    ('a: "x"', "a", 'say "y"', 'a: "say \\"y\\""'),
    ("a: x", "a", "y: z", 'a: "y: z"'),
    ("a: x", "a", "[[Page]]", 'a: "[[Page]]"'),
    ("a: x", "a", "#tag", 'a: "#tag"'),
    ("a: x", "a", "two\nlines", 'a: "two\\nlines"'),
    ("a: x", "a", "", 'a: ""'),
    ("a: x", "a", "2024-01-15", "a: 2024-01-15"),
    ("a: x", "a", "-5", "a: -5"),
    ("a: x", "a", "- y", 'a: "- y"'),
    ("a: x", "a", "y\u2028z", 'a: "y\\u2028z"'),
    ("a: |\n  x\n  y\nb: 2", "a", "z", "a: z\nb: 2"),
    ("a: 'x\n  y'\nb: 2", "a", "z", "a: z\nb: 2"),
    ("b: 2", "a", "x", "b: 2\na: x"),
    ("b: 2", "a", ["x", "y"], "b: 2\na:\n  - x\n  - y"),
    ("b: 2", "a", [], "b: 2\na: []"),
    ("b: 2", "odd: key", "x", 'b: 2\n"odd: key": x'),
    ("a: [x, 'y']", "a", ["x", "y", "z, w"], "a: [x, 'y', \"z, w\"]"),
    ("a:\n- x\n- 'y'", "a", ["x", "y", "z"], "a:\n- x\n- 'y'\n- z"),
    ("a:\n    - x # one\nb: 2", "a", ["x", "y"], "a:\n    - x\n    - y\nb: 2"),
    ("a: x", "a", ["x"], "a:\n  - x"),
    ("a:\n  - x", "a", "x", "a: x"),
    ("a:\n  k: v\nb: 2", "a", "x", "a: x\nb: 2"),
    ("A: 1", "a", "2", "A: 2"),
    ("Foo: bar: baz\na: 1", "a", "2", "Foo: bar: baz\na: 2"),
    ("a: 1\n# end", "b", "2", "a: 1\n# end\nb: 2"),
]


@pytest.mark.parametrize(("inner", "key", "value", "expected"), SET)
@pytest.mark.parametrize("line_break", BREAKS)
def test_only_the_lines_of_the_property_change(
    inner: str, key: str, value: str | list[str], expected: str, line_break: str
) -> None:
    def page(middle: str) -> str:
        return f"---\n{middle}\n---\n# Body \x0c\n\ntext\t\n".replace("\n", line_break)

    article = parse_article(page(inner))
    assert apply_edits(article.text, set_property(article, key, value)) == page(expected)


def test_setting_what_is_there_changes_nothing() -> None:
    article = parse_article("---\na:   'x'  # c\nb: [ y ,z]\n---\n")
    assert set_property(article, "a", "x") == ()
    assert set_property(article, "b", ["y", "z"]) == ()


def test_a_page_without_properties_gets_a_block() -> None:
    article = parse_article("# A\r\ntext")
    changed = apply_edits(article.text, set_property(article, "up", "[[B]]"))
    assert changed == '---\r\nup: "[[B]]"\r\n---\r\n# A\r\ntext'


def test_a_property_written_twice_is_left_alone() -> None:
    article = parse_article("---\na: 1\na: 2\nb: 3\n---\n")
    with pytest.raises(EditRefused, match="twice"):
        set_property(article, "a", "x")
    assert apply_edits(article.text, set_property(article, "b", "x")).endswith("b: x\n---\n")


@pytest.mark.parametrize(
    ("inner", "left"),
    [
        ("a: 1\nb: 2\n", "b: 2\n"),
        ("b: 2\na:\n  - x\n  - y\nc: 3\n", "b: 2\nc: 3\n"),
        ("a: |\n  x\n\n  y\nc: 3\n", "c: 3\n"),
        ("a: [x,\n y]\nc: 3\n", "c: 3\n"),
        ("a: 1\n", ""),
        ("c: 3\n", "c: 3\n"),
    ],
)
def test_a_property_goes_with_all_its_lines(inner: str, left: str) -> None:
    article = parse_article(f"---\n{inner}---\nbody")
    changed = apply_edits(article.text, remove_property(article, "a"))
    assert changed == f"---\n{left}---\nbody"


KEYS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
VALUES = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["---", "...", "'", '"', "[", "a: b", "- x", "null", "\\", "{{x}}", "[[x]]", "#x", "|", "> y"]
)
INNER = st.lists(
    st.sampled_from(
        ["a: 1", "b: [x, y]", "c:", "  - one", "# note", "", "d: 'q'", "e: |", "  text", "f: z # c"]
    ),
    max_size=6,
)


@EXAMPLES
@given(INNER, st.sampled_from(BREAKS), KEYS, VALUES | st.lists(VALUES, max_size=3))
def test_what_is_set_is_read_back_and_the_rest_keeps_its_bytes(
    inner: list[str], line_break: str, key: str, value: str | list[str]
) -> None:
    article = parse_article(line_break.join(["---", *inner, "---", "body\x0c", ""]))
    try:
        edits = set_property(article, key, value)
    except EditRefused:
        assume(key.strip() == key and key.isprintable())
        assert article.front_matter is not None
        named = [each.key.casefold() for each in article.front_matter.properties]
        assert article.front_matter.problem is not None or named.count(key.casefold()) > 1
        return
    changed = parse_article(apply_edits(article.text, edits))
    assert changed.front_matter is not None
    found = changed.front_matter.find(key)
    assert found is not None
    assert found.texts == ((value,) if isinstance(value, str) else tuple(value)) or (
        value == "" and not found.texts
    )
    before = article.front_matter.properties if article.front_matter else ()
    kept = [each for each in before if each.key.casefold() != key.casefold()]
    after = changed.front_matter.properties
    left = [each for each in after if each.key.casefold() != key.casefold()]
    for old, new in zip(kept, left, strict=True):
        assert changed.text[new.start : new.end] == article.text[old.start : old.end]
    assert changed.text.endswith(f"---{line_break}body\x0c{line_break}")
