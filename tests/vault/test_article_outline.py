import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vault.examples import EXAMPLES
from vault.anchors import heading_slug
from vault.article.page import parse_article

PAGE = """---
title: x
# no heading: a comment
---
before

# Page

## Echo
```
## Not this
```
~~~
## Nor this
~~~

    ## Nor indented code
<!--
## Nor a comment
-->
### Deep [label](target.md) and [[Lens|the lens]]
## Echo
Setext *one*
==========
two
lines
---
## Closed ##
> ## Quoted
- # Listed
####### seven
#hashtag
##
"""


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_headings_are_found_outside_code(line_break: str) -> None:
    article = parse_article(PAGE.replace("\n", line_break))
    assert [(each.level, each.title, each.anchor, each.is_nested) for each in article.headings] == [
        (1, "Page", "page", False),
        (2, "Echo", "echo", False),
        (3, "Deep label and the lens", "deep-label-and-the-lens", False),
        (2, "Echo", "echo-1", False),
        (1, "Setext one", "setext-one", False),
        (2, "two lines", "two-lines", False),
        (2, "Closed", "closed", False),
        (2, "Quoted", "quoted", True),
        (1, "Listed", "listed", True),
        (2, "", "", False),
    ]


@pytest.mark.parametrize(
    ("fragment", "path"),
    [
        ("Echo", ("Page", "Echo")),
        ("#Echo", ("Page", "Echo")),
        ("echo-1", ("Page", "Echo")),
        ("Page#Echo#Deep label and the lens", ("Page", "Echo", "Deep label and the lens")),
        ("Page#Deep label and the lens", ("Page", "Echo", "Deep label and the lens")),
        ("Other#Echo", None),
        ("SETEXT ONE", ("Setext one",)),
        ("Quoted", None),
        ("", None),
        ("missing", None),
    ],
)
def test_a_section_is_found_by_title_path_or_anchor(
    fragment: str, path: tuple[str, ...] | None
) -> None:
    found = parse_article(PAGE).section(fragment)
    assert (found.path if found else None) == path


@pytest.mark.parametrize(
    ("fragment", "title"),
    [("Quoted", "Quoted"), ("Page#listed", "Listed"), ("Page#Echo", "Echo"), ("", None)],
)
def test_a_heading_in_a_quote_or_list_can_be_linked(fragment: str, title: str | None) -> None:
    found = parse_article(PAGE).find_heading(fragment)
    assert (found.title if found else None) == title


def test_an_anchor_tells_repeated_titles_apart() -> None:
    article = parse_article("# A\n## Echo\none\n## Echo\ntwo\n")
    first, second = article.section("echo"), article.section("echo-1")
    assert first is not None
    assert second is not None
    assert article.text[first.body : first.end] == "one\n"
    assert article.text[second.body : second.end] == "two\n"


def test_a_section_ends_where_an_equal_or_higher_one_starts() -> None:
    article = parse_article("# A\n## B\nb\n### C\nc\n## D\nd\n")
    found = article.section("B")
    assert found is not None
    assert article.text[found.start : found.end] == "## B\nb\n"
    assert article.text[found.start : found.tree_end] == "## B\nb\n### C\nc\n"


LINES = st.sampled_from(
    [
        *("# A", "## B", "### C", "#", "text", "===", "---", "```", "~~~ x", "> # q", "- # l"),
        *("    code", "\t# x", "", " ", "<!--", "-->", "<div>", "[a]: b", "$$", "%%", "...", "自"),
        *("categories: [[Category:X]]", "{{stub}}", "[^1]: x", "a[^1]", "```info", "k: v", "\0"),
        *("aliases:", "  - x", "\ufeff---", "a\x0c# b", "\u2028# c", "1. x", "   ```", "````"),
    ]
)
BREAKS = st.sampled_from(["\n", "\n", "\r\n", "\r", ""])
DOCUMENTS = st.lists(st.tuples(LINES, BREAKS).map("".join), max_size=25).map("".join)


@EXAMPLES
@given(DOCUMENTS)
def test_front_matter_and_sections_cover_every_character_once(text: str) -> None:
    article = parse_article(text)
    front = article.front_matter.end if article.front_matter else 0
    ranges = [(0, front), *((each.start, each.end) for each in article.sections)]
    assert "".join(text[start:end] for start, end in ranges) == text
    for section in article.sections:
        assert section.start <= section.body <= section.end <= section.tree_end


@EXAMPLES
@given(st.one_of(DOCUMENTS, st.text(max_size=80)))
def test_every_text_is_an_article(text: str) -> None:
    from vault.article.structure import find_faults, read_structure

    article = parse_article(text)
    assert len(article.prose) == len(text)
    assert article.text == text
    read_structure(article)
    find_faults(article, "A")
    anchors = [each.anchor for each in article.headings]
    assert len(set(anchors)) == len(anchors)


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Plain words", "plain-words"),
        ("MiXeD CaSe", "mixed-case"),
        ("one  two", "one--two"),
        ("tabs\there", "tabshere"),
        ("dots.and,commas;", "dotsandcommas"),
        ("a-b_c", "a-b_c"),
        ("-- dashes --", "---dashes---"),
        ("en–dash em—dash", "endash-emdash"),
        ("“quoted” ‘so’", "quoted-so"),
        ("Übergröße", "übergröße"),
        ("naïve café", "naïve-café"),
        ("e\u0301 combining", "e\u0301-combining"),
        ("Привет, мир", "привет-мир"),
        ("日本語 の 見出し", "日本語-の-見出し"),
        ("自己打字的键盘……", "自己打字的键盘"),
        ("हिन्दी शीर्षक", "हिन्दी-शीर्षक"),
        ("ไทย", "ไทย"),
        ("مرحبا بالعالم", "مرحبا-بالعالم"),
        ("😄 emoji 🍀", "-emoji-"),
        ("I ♥ this", "i--this"),
        ("½ cup", "-cup"),
        ("x² + y³", "x--y"),
        ("Ⅳ roman", "ⅳ-roman"),
        ("Ⓐ circled", "ⓐ-circled"),
        ("🅰 squared", "🅰-squared"),
        ("non\u00a0breaking", "nonbreaking"),
        ("zero\u200bwidth", "zerowidth"),
        ("under‿tie", "under‿tie"),
        ("$100 & 50%", "100--50"),
        ("C# / F#", "c--f"),
        ("١٢٣ digits", "١٢٣-digits"),
        ("trailing   ", "trailing---"),
    ],
)
def test_a_slug_keeps_letters_and_digits_of_any_script(title: str, slug: str) -> None:
    assert heading_slug(title) == slug


def test_repeated_anchors_are_counted_past_those_taken() -> None:
    titles = ["echo", "echo", "Echo 1", "echo-1", "echo", "!", "?", "echo 1"]
    article = parse_article("".join(f"## {title}\n" for title in titles))
    assert [each.anchor for each in article.headings] == [
        *("echo", "echo-1", "echo-1-1", "echo-1-2", "echo-2", "", "-1", "echo-1-3"),
    ]


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("**Bold** _and_ `code`", "Bold and code"),
        ("snake_case_name", "snake_case_name"),
        ("[label](http://x y) odd", "[label](http://x y) odd"),
        ("![alt](a.png) image", "alt image"),
        ("[[Page]] and [[Page#H|label]]", "Page and label"),
        ("A &amp; B", "A & B"),
        (r"\*not bold\*", "*not bold*"),
        ("<b>tag</b> text", "tag text"),
        ("[/b] [red] [@click=app.quit]", "[/b] [red] [@click=app.quit]"),
        ("[[/test.md]]", "/test.md"),
        ("*" * 1500, "*" * 1500),
    ],
)
def test_a_title_is_the_text_that_is_shown(source: str, title: str) -> None:
    (heading,) = parse_article(f"## {source}\n").headings
    assert heading.title == title
