import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vault.examples import EXAMPLES
from vault.article.normalise import normalise
from vault.article.page import parse_article
from vault.article.splices import apply_edits
from vault.article.structure import find_faults

PAGES = {"travel lens": "Travel_lens", "camera bag": "Camera_bag", "k mount": "K_mount"}
WORDS = "It is a small thing that is used each day by one person who likes it very much."


def canonical(target: str) -> str | None:
    return PAGES.get(target.replace("_", " ").casefold())


def usual(text: str, stem: str = "Travel_lens") -> str:
    done = normalise(text, stem, canonical)
    assert apply_edits(text, done.edits) == done.text
    again = normalise(done.text, stem, canonical)
    assert again.text == done.text
    assert again.edits == ()
    return done.text


def body(text: str) -> str:
    """The page around a piece: long enough to be no stub."""
    return f"# Travel lens\n\n{WORDS}\n{text}\n## Use\n\n{WORDS}\n\n## Care\n\n{WORDS}\n"


REFERENCES = "\n## References\n\n"
ONE, TWO = "`conv:00000011` (2024-01-01, chat)", "`conv:00000022` (2024-01-02, chat)"

HEALTHY = [
    body(""),
    body(f"a[^1] b[^2]{''}") + REFERENCES + f"[^1]: {ONE}\n[^2]: {TWO}\n",
    body(f"a[^2] b[^1]{''}") + REFERENCES + f"[^1]: {ONE}\n[^2]: {TWO}\n",
    body("\n```info\ntype: lens\nkind: thing\nmount: x\naliases: y\n```\n"),
    body("").replace("\n", "\r\n"),
    body("") + "\n## History\n\n## See also\n\n- [[Camera_bag]]\n\n## Notes\n\n## References\n",
    "# Travel lens\n\n*Redirects to [[Camera_bag]].*\n",
    "---\nkey: [kept,  as is]\n---\n" + body("\x0c\u2028"),
]


@pytest.mark.parametrize("text", HEALTHY)
def test_a_healthy_article_keeps_its_bytes(text: str) -> None:
    assert usual(text) == text
    assert normalise(text, "Travel_lens", canonical).notes == ()


FOOTNOTES = [
    # A mark or a definition without its counterpart goes; the prose stays.
    ("a [^9] b[^1].", f"[^1]: {ONE}\n", "a b[^1].", f"[^1]: {ONE}\n"),
    ("b[^1].", f"[^1]: {ONE}\n[^2]: {TWO}\n", "b[^1].", f"[^1]: {ONE}\n"),
    # Numbers follow the text.
    ("a[^3] b[^1]", f"[^1]: {ONE}\n[^3]: {TWO}\n", "a[^1] b[^2]", f"[^2]: {ONE}\n[^1]: {TWO}\n"),
    ("a[^5] b[^5]", f"[^5]: {ONE}\n", "a[^1] b[^1]", f"[^1]: {ONE}\n"),
    # One conversation is cited by one footnote.
    ("a[^1] b[^2]", f"[^1]: {ONE}\n[^2]: {ONE} x\n", "a[^1] b[^1]", f"[^1]: {ONE}\n"),
    ("a[^1][^2] [^1]", f"[^1]: {ONE}\n[^2]: {ONE}\n", "a[^1]", f"[^1]: {ONE}\n"),
    # What cites no conversation is somebody's own.
    ("a[^x]", "[^x]: see there\n", "a[^1]", "[^1]: see there\n"),
    ("a[^2]", f"[^own]: a thought\n[^2]: {ONE}\n", "a[^1]", f"[^2]: a thought\n[^1]: {ONE}\n"),
    ("`[^7]` a[^2]", f"[^2]: {ONE}\n", "`[^7]` a[^1]", f"[^1]: {ONE}\n"),
]


@pytest.mark.parametrize(("prose", "notes", "prose_after", "notes_after"), FOOTNOTES)
@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_footnotes_are_numbered_one_to_one(
    prose: str, notes: str, prose_after: str, notes_after: str, line_break: str
) -> None:
    before = (body(prose) + REFERENCES + notes).replace("\n", line_break)
    after = (body(prose_after) + REFERENCES + notes_after).replace("\n", line_break)
    assert usual(before) == after


LINKS = [
    ("[[travel lens]]", "[[Travel_lens]]"),
    ("[[TRAVEL LENS|the lens]]", "[[Travel_lens|the lens]]"),
    ("[[travel lens#Use]]", "[[Travel_lens#Use]]"),
    ("[[ travel lens #Use|x]]", "[[Travel_lens#Use|x]]"),
    ("![[camera bag]]", "![[Camera_bag]]"),
    ("| [[camera bag\\|b]] |", "| [[Camera_bag\\|b]] |"),
    ("`[[travel lens]]` \\[[travel lens]]", "`[[travel lens]]` \\[[travel lens]]"),
    ("[[#Use]] [[conv:0a1b2c3d]]", "[[#Use]] [[conv:0a1b2c3d]]"),
    ("[[Category:camera bag]]", "[[Category:camera bag]]"),
    ("[[Unknown page]]", "[[Unknown page]]"),
    ("```\n[[travel lens]]\n```", "```\n[[travel lens]]\n```"),
    ("\n```info\nmount: [[k mount]]\n```\n", "\n```info\nmount: [[K_mount]]\n```\n"),
]


@pytest.mark.parametrize(("before", "after"), LINKS)
def test_links_are_spelled_as_their_files(before: str, after: str) -> None:
    assert usual(body(before)) == body(after)


def test_links_to_nothing_are_reported_once_and_kept() -> None:
    text = body("[[Unknown]] [[unknown B]] [[Unknown]]\n\n```info\nmade by: [[Firm]]\n```\n")
    assert normalise(text, "Travel_lens", canonical).red_links == ("Unknown", "unknown B", "Firm")


def test_infobox_keys_are_ordered() -> None:
    box = "\n```info\naliases: z\nowned: yes\nkind: thing\nmount: x\ntype: lens\n```\n"
    after = "\n```info\ntype: lens\nkind: thing\nmount: x\nowned: yes\naliases: z\n```\n"
    assert usual(body(box)) == body(after)


def test_an_infobox_with_a_stray_line_is_left_alone() -> None:
    text = body("\n```info\nmount: x\n  a note without a key\nkind: thing\n```\n")
    assert usual(text) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (body("").replace("# Travel lens", "# Other"), body("")),
        (body("").removeprefix("# Travel lens\n\n"), body("")),
        ("Other\n=====\n" + body("")[15:], "# Travel lens\n\nOther\n"),
        ("---\na: b\n---\n" + body("").removeprefix("# Travel lens\n\n"), "---\na: b\n---\n"),
    ],
)
def test_the_title_is_that_of_the_file(before: str, after: str) -> None:
    assert usual(before).startswith(after)


def test_closing_sections_come_last_and_once() -> None:
    before = (
        f"# Travel lens\n\n{WORDS}[^1][^2]\n\n## References\n\n[^1]: {ONE}\n\n## Use\n\n{WORDS}\n\n"
        f"## See also\n\n- [[Camera_bag]]\n- [[Camera_bag]]\n\n## Care\n\n{WORDS}\n### Deep\nx\n"
        f"## References\n[^1]: {ONE}\n[^2]: {TWO}\n## See also\n\n- [[K_mount]]"
    )
    assert usual(before) == (
        f"# Travel lens\n\n{WORDS}[^1][^2]\n\n## Use\n\n{WORDS}\n\n## Care\n\n{WORDS}\n"
        f"### Deep\nx\n\n## See also\n\n- [[Camera_bag]]\n- [[K_mount]]\n\n"
        f"## References\n\n[^1]: {ONE}\n[^2]: {TWO}"
    )


def test_a_second_title_stops_the_ordering() -> None:
    text = (
        f"# Travel lens\n\n## References\n\n## Use\n\n{WORDS} {WORDS} {WORDS}\n\n# Other\n\n## B\n"
    )
    done = normalise(text, "Travel_lens", canonical)
    assert done.text == text
    assert done.notes == ("The sections were not put in order: there is a second title.",)


STUB = "# Travel lens\n{{stub}}\n\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"# Travel lens\n\n## Use\n\n{WORDS}\n", f"{STUB}## Use\n\n{WORDS}\n"),
        ("# Travel lens\n\n## A\n\nx\n\n## B\n\ny\n", f"{STUB}## A\n\nx\n\n## B\n\ny\n"),
        (body("").replace("lens\n", "lens\n{{stub}}\n", 1), body("")),
        (f"{STUB}{body('')[15:]}\n{{{{stub}}}}\n", f"{body('')}\n"),
        (f"{STUB}Short.\n", f"{STUB}Short.\n"),
    ],
)
def test_a_short_article_is_marked_a_stub(before: str, after: str) -> None:
    assert usual(before) == after


def test_a_chinese_article_is_measured_by_its_characters() -> None:
    prose = "镜头很轻所以每次旅行都会带上它这是很好的东西" * 2
    text = f"# Travel lens\n\n## 用途\n\n{prose}\n\n## 保养\n\n{prose}\n"
    assert usual(text) == text


def test_a_broken_fence_is_repaired_with_a_note() -> None:
    text = body("") + "\n```py\nx = 1\n\n## References\n"
    done = normalise(text, "Travel_lens", canonical)
    assert done.text == body("") + "\n```py\nx = 1\n```\n\n## References\n"
    assert len(done.notes) == 1


def test_the_whole_pass() -> None:
    text = (
        "# wrong\n\n```info\nkind: thing\ntype: lens\n```\n\n"
        "The lens[^1] is a [[k mount]] lens[^2].[^5]\n\n"
        f"## References\n\n[^1]: {ONE}\n[^2]: {TWO}\n[^5]: `conv:00000055` (x, y)\n[^6]: {ONE}\n"
        "\n## Use\n\nEach day.\n\n```py\nx = 1\n"
    )
    after = usual(text)
    assert after == (
        "# Travel lens\n{{stub}}\n\n```info\ntype: lens\nkind: thing\n```\n\n"
        "The lens[^1] is a [[K_mount]] lens[^2].[^3]\n\n"
        "## Use\n\nEach day.\n\n```py\nx = 1\n```\n\n"
        f"## References\n\n[^1]: {ONE}\n[^2]: {TWO}\n[^3]: `conv:00000055` (x, y)\n"
    )
    assert find_faults(parse_article(after), "Travel_lens") == ()


LINES = st.sampled_from(
    [
        *("# A", "# Travel lens", "## Use", "## Care", "## See also", "## References", "## Notes"),
        *("## History", "### Deep", "```py", "```", "~~~", "```info", "type: x", "kind: y"),
        *("a[^1]", "b[^2][^3]", "c [^x]", f"[^1]: {ONE}", f"[^2]: {TWO}", f"[^3]: {ONE}"),
        *("[^x]: own", "- [[travel lens]]", "- [[Camera_bag]]", "", "", WORDS, "{{stub}}"),
        *("categories: [[Category:X]]", "*Redirects to [[A]].*", "<!--", "-->", "    x", "> q"),
        *("===", "---", "%%", "[^1]:", "\x0c", "  continued", "1. [^1]"),
    ]
)
DOCUMENTS = st.lists(
    st.tuples(LINES, st.sampled_from(["\n", "\n", "\r\n", "\r"])).map("".join), max_size=22
).map("".join)


@EXAMPLES
@given(DOCUMENTS)
def test_a_second_pass_changes_nothing(text: str) -> None:
    usual(text)


@EXAMPLES
@given(DOCUMENTS)
def test_no_words_are_lost(text: str) -> None:
    done = normalise(text, "Travel_lens", canonical).text
    for word in ("Use", "Care", "Deep", "own", "continued", "very much", "History"):
        assert len(re.findall(word, done)) >= min(1, len(re.findall(word, text)))
