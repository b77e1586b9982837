import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault.anchors import first_heading, heading_slug
from vault.article.page import parse_article
from vault.links.mentions import Mentions
from vault.links.scan import find_links
from vault.masked import masked

HIDDEN = [
    "`[[x]]`",
    "``[[x]] ` [[y]]``",
    "```\n[[x]]\n```",
    "```[[a|b]]```",
    "~~~\n[[x]]\n```\n[[y]]\n~~~",
    "````\n```\n[[x]]\n```\n````",
    "   ```bash\n   [[ -z $X ]]\n   ```",
    "- item\n\n  ```\n  [[x]]\n  ```",
    "> ```\n> [[x]]\n> ```",
    "1. a\n   ~~~\n   [[x]]\n   ~~~",
    "```\n[[x]] and no end",
    "para\n\n    [[x]] indented\n\n    [[y]]",
    "\t[[x]]",
    "%% [[x]] %%",
    "%%\n[[x]]\n\n[[y]]\n%%",
    "<!-- [[x]] -->",
    "a <!-- [[x]]\n\n[[y]] --> b",
    "$$[[x]]$$",
    "$$\n[[x]]\n$$",
    "$[[x]]+1$",
    "---\nup: [[x]]\n---\ntext",
    "---\r\nup: [[x]]\r\n---\r\ntext",
    "\ufeff---\nup: [[x]]\n...\ntext",
    "<pre>\n[[x]]\n</pre>",
    r"\[[x]]",
    r"\\\[[x]]",
    "[[]]",
    "[[a\nb]]",
    "[[conv:0a1b2c3d]]",
    "[[Category:Lenses]]",
    "`a\n[[x]]\nb`",
]


@pytest.mark.parametrize("text", HIDDEN)
@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_what_is_not_prose_holds_no_links(text: str, line_break: str) -> None:
    text = re.sub("\r\n|\n", line_break, text)
    assert find_links(text) == ()


SHOWN = [
    ("[[x]]", 1),
    ("- [[x]]\n    - [[y]]", 2),
    ("1. a\n\n    [[x]] in the list", 1),
    ("one ` tick [[x]]", 1),
    ("`a` [[x]] `b`", 1),
    ("`a\n\n[[x]] b`", 1),
    ("costs $5 and [[x]] costs $6", 1),
    ("100%% of [[x]]", 1),
    ("<!-- never closed [[x]]", 1),
    ("a <!-- never closed [[x]]", 1),
    (r"\\[[x]]", 1),
    (r"\`[[x]]\`", 1),
    ("text\n---\n[[x]]\n---\n", 1),
    ("---\nnever closed\n[[x]]", 1),
    ("# H [[x]]", 1),
    ("| a | [[x\\|y]] |\n|---|---|", 1),
    ("> [[x]]", 1),
    ("*[[x]]* **[[y]]** [[z]]", 3),
    ("[[a]][[b]]", 2),
    ("a\x0c[[x]]\u2028[[y]]", 2),
    ("![[a.md]]", 1),
    ("<div>\n[[x]]\n</div>", 1),
]


@pytest.mark.parametrize(("text", "count"), SHOWN)
def test_links_in_prose_are_found(text: str, count: int) -> None:
    assert len(find_links(text)) == count


@pytest.mark.parametrize(
    ("text", "target", "fragment", "label", "is_embed"),
    [
        ("[[Camera bag]]", "Camera bag", None, "Camera bag", False),
        ("[[ Camera bag | the bag ]]", "Camera bag", None, "the bag", False),
        ("[[Camera bag\\|bag]]", "Camera bag", None, "bag", False),
        ("[[a|b|c]]", "a", None, "b|c", False),
        ("[[a#h]]", "a", "h", "a#h", False),
        ("[[a#h1#h2|x]]", "a", "h1#h2", "x", False),
        ("[[#here]]", "", "here", "#here", False),
        ("[[a#^block]]", "a", "^block", "a#^block", False),
        ("![[a]]", "a", None, "a", True),
        (r"\![[a]]", "a", None, "a", False),
        ("[[dir/a.md]]", "dir/a.md", None, "dir/a.md", False),
        ("[x](a.md)", "a.md", None, "x", False),
        ("[x](a%20b.md)", "a b.md", None, "x", False),
        ("[x](<a b.md>)", "a b.md", None, "x", False),
        ('[x](a.md "title")', "a.md", None, "x", False),
        ("[x](a.md#part)", "a.md", "part", "x", False),
        ("[x](#part)", "", "part", "x", False),
        ("[x](../up/a)", "../up/a", None, "x", False),
        ("[x](a_(b).md)", "a_(b).md", None, "x", False),
        ("[x [y] z](a.md)", "a.md", None, "x [y] z", False),
        (r"[x](a\_b.md)", "a_b.md", None, "x", False),
        ("![x](a.md)", "a.md", None, "x", True),
    ],
)
def test_the_parts_of_a_link(
    text: str, target: str, fragment: str | None, label: str, is_embed: bool
) -> None:
    (link,) = find_links(f"before {text} after")
    assert (link.target, link.fragment, link.label, link.is_embed) == (
        *(target, fragment, label, is_embed),
    )
    start = len("before ") + (1 if text.startswith("\\") and not is_embed else 0)
    if text.startswith("\\"):
        start = len("before \\!")
    assert f"before {text} after"[link.start : link.end] == f"before {text} after"[start:-6]


@pytest.mark.parametrize(
    "text",
    [
        "[x](https://example.org/a.md)",
        "[x](mailto:a@b.md)",
        "[x](file:///etc/a.md)",
        "[x](//host/a.md)",
        "[x](picture.png)",
        "[x](a.pdf#page=3)",
        "[x]()",
        "[x] (a.md)",
        r"\[x](a.md)",
        "`[x](a.md)`",
        "[x](a b.md)",
    ],
)
def test_what_is_no_link_to_a_note(text: str) -> None:
    assert find_links(text) == ()


PIECES = st.sampled_from(
    [
        *("[[a]]", "`", "``", "```", "~~~", "\n", "\r\n", "\r", "    ", "%%", "<!--", "-->", "$"),
        *("$$", "---", "> ", "- ", "\\", "[", "]", "(", ")", "x", " ", "#", "\x0c", "é", "\0"),
    ]
)


@given(st.lists(PIECES, max_size=40).map("".join))
def test_the_masked_copy_has_the_same_shape(text: str) -> None:
    copy = masked(text)
    assert len(copy) == len(text)
    for before, after in zip(text, copy, strict=True):
        assert after in {before, " "}
        assert (before in "\r\n") == (after in "\r\n")
    assert masked(copy).count("[[a]]") <= copy.count("[[a]]")
    for link in find_links(text):
        assert text[link.start : link.end].startswith(("[", "!["))


HOSTILE = [
    *("[[" * 50_000, "[" * 100_000, "`" * 99_999, "$" * 100_000, "[a](" * 25_000, "%%" * 50_001),
    *("<!--" * 25_000, "\\[" * 50_000, "> " * 5_000, "- " * 5_000, "[x](((((" * 10_000),
    *("`a``b```c````d" * 3_000, "[[a|" * 20_000, "$a" * 50_000, "---\n" * 20_000),
    *("[a\\]" * 25_000, "]:" + " " * 200_000, "](" + " " * 200_000, "[a]:" + " " * 200_000),
    *("](" * 25_000, "\n[a]: b " * 10_000, '[a](b "' * 15_000),
]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_ends(text: str) -> None:
    find_links(text)
    assert not Mentions(["Nowhere.md"]).are_in(text)


@pytest.mark.parametrize(
    ("heading", "slug"),
    [
        ("Hello World", "hello-world"),
        ("Two  spaces", "two--spaces"),
        ("C++ & Rust!", "c--rust"),
        ("snake_case-kept", "snake_case-kept"),
        ("Ünïcode 自己", "ünïcode-自己"),
        ("50mm f/1.8", "50mm-f18"),
        ("", ""),
        ("😀 smile", "-smile"),
    ],
)
def test_slugs_are_those_of_github(heading: str, slug: str) -> None:
    assert heading_slug(heading) == slug


PAGE = """---
title: x
---
# Page
## Echo
```
## Not this
```
## Echo
Setext one
==========
## Closed ##
### With [[Link]] and `code`
"""


@pytest.mark.parametrize(
    ("fragment", "line"),
    [
        ("Echo", 4),
        ("echo", 4),
        ("echo-1", 8),
        ("Setext one", 9),
        ("setext-one", 9),
        ("Closed", 11),
        ("Page#Echo", 4),
        ("With Link and code", 12),
        ("Not this", None),
        ("", None),
        ("missing", None),
    ],
)
@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_a_fragment_finds_its_heading(fragment: str, line: int | None, line_break: str) -> None:
    found = parse_article(PAGE.replace("\n", line_break)).find_heading(fragment)
    assert (found.line if found else None) == line


def test_the_first_heading_is_a_title() -> None:
    assert first_heading(PAGE) == "Page"
    assert first_heading("## second level\n\nTitle\n=====\n") == "Title"
    assert first_heading("no heading") is None
