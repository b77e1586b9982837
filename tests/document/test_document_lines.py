"""Markdown and the lines it becomes."""

from __future__ import annotations

import pytest

from tests.document.pages import Shelf, plain_lines

SHELF = Shelf({"Known": "# Known\n"}, frozenset({"Two"}))

CASES = [
    ("title", "# The *title*\n\nText.", 20, ["The title", "━" * 20, "", "Text."]),
    ("section", "A.\n\n## S\n\nB.", 8, ["A.", "", "", "S", "─" * 8, "B."]),
    ("deep", "### Three\nx\n\n#### Four\ny", 20, ["Three", "x", "", "Four", "y"]),
    ("setext", "Top\n===\n\nlow\n---\n", 6, ["Top", "━" * 6, "", "low", "─" * 6]),
    ("wrapping", "one two three", 8, ["one two", "three"]),
    ("long word", "abcdefghijkl", 5, ["abcde", "fghij", "kl"]),
    ("no-break space", "aaaa b\u00a0c", 6, ["aaaa", "b\u00a0c"]),
    ("hard break", "one\\\ntwo  \nthree", 20, ["one", "two", "three"]),
    ("soft break", "one\ntwo", 20, ["one two"]),
    ("soft break in Chinese", "一二\n三四", 20, ["一二三四"]),
    ("Chinese", "一二三四五六七", 8, ["一二三四", "五六七"]),
    ("no stop at a line's start", "一二三四。五", 8, ["一二三", "四。五"]),
    ("no bracket at a line's end", "一二三（四）", 8, ["一二三", "（四）"]),
    ("emoji kept whole", "👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧", 4, ["👨‍👩‍👧👨‍👩‍👧", "👨‍👩‍👧"]),
    ("bullets", "- a\n- b\n  - c\n    - d\n", 20, ["• a", "• b", "  ◦ c", "    ▪ d"]),
    ("loose list", "- a\n\n- b\n", 20, ["• a", "", "• b"]),
    ("hanging", "- aaa bbb\n", 7, ["• aaa", "  bbb"]),
    ("numbers", "9. a\n10. b\n", 20, [" 9. a", "10. b"]),
    ("empty item", "- \n- b\n", 20, ["•", "• b"]),
    ("tasks", "- [ ] a\n- [x] b\n1. [ ] c", 20, ["☐ a", "☑ b", "", "1. ☐ c"]),
    ("other box", "- [?] a", 20, ["[?] a"]),
    ("no task", "- [link](x.md) a", 20, ["• link⁺ a"]),
    ("quote", "> a\n>\n> b", 20, ["▎ a", "▎", "▎ b"]),
    ("callout", "> [!tip] Try\n> it", 20, ["▎ ✓ Try", "▎ it"]),
    ("callout without title", "> [!bug]\n> it", 20, ["▎ ✗ Bug", "▎ it"]),
    ("callout that folds", "> [!note]- More\n> it", 20, ["▎ ⓘ More ▾", "▎ it"]),
    ("links", "[[Known]] [[Known|name]] [[Nowhere]] [[Two]]", 60, ["Known name Nowhere⁺ Two≈"]),
    ("link to a section", "[[Known#A]] [[#B]]", 60, ["Known › A B"]),
    ("address", "<https://e.org> [x](https://e.org/y)", 60, ["https://e.org↗ x↗"]),
    ("no address", "[x](javascript:alert)", 60, ["[x](javascript:alert)"]),
    ("category", "[[Category:Optics]]", 20, ["Optics"]),
    ("escapes", r"\*a\* &amp; &#x27;", 20, ["*a* & '"]),
    ("marks", "**a** *b* ~~c~~ ==d== `e`", 30, ["a b c d e"]),
    ("formula", "$x^2$ and $5 or 6$", 30, ["x^2 and 5 or 6"]),
    ("prices", "it costs $5 and $6", 30, ["it costs $5 and $6"]),
    ("formula block", "$$\na_b\n$$", 20, ["a_b"]),
    ("comments", "a %%hidden%% b<!-- c --> d", 20, ["a  b d"]),
    ("comment block", "a\n\n<!-- hidden -->\n\nb", 20, ["a", "", "b"]),
    ("HTML", "List<int> H<sub>2</sub>O a<br>b", 30, ["List<int> H2O a", "b"]),
    ("HTML block", "<div>\nx\n</div>", 20, ["<div>", "x", "</div>"]),
    ("rule", "a\n\n---\n\nb", 4, ["a", "", "────", "", "b"]),
    ("code", "```py\nx = 1\n```", 14, [" py      copy", " x = 1"]),
    ("code that is wide", "```\nabcdefgh\n```", 7, ["  copy", " abcde", "↪fgh"]),
    ("tabs in code", "```\n\tx\n```", 14, ["         copy", "     x"]),
    ("indented code", "    x\n", 14, ["         copy", " x"]),
    ("footnotes", "a[^1] b[^x]\n\n[^1]: One.\n[^x]: Two.", 30,
     ["a¹ b[x]", "", "¹ One. ↩", "[x] Two. ↩"]),
    ("footnote of several blocks", "[^1]: One.\n\n    More.\n", 30, ["¹ One. ↩", "", "  More."]),
    ("table", "| a | bb |\n|--|-:|\n| c | d |", 20, ["a │ bb", "──┼───", "c │  d"]),
    ("table in the middle", "| a |\n|:-:|\n| bbb |", 20, [" a", "───", "bbb"]),
    ("narrow table", "| a | bb bb bb |\n|--|--|\n| c | dd dd dd dd |", 16,
     ["a │ bb bb bb", "──┼────────────", "c │ dd dd dd dd"]),
    ("wrapped table", "| a | b |\n|-|-|\n| cc cc cc | dd dd dd dd dd |", 19,
     ["a        │ b", "─" * 9 + "┼" + "─" * 9, "cc cc cc │ dd dd dd", "         │ dd dd"]),
    ("table without room", "| a | b | c |\n|-|-|-|\n| dddddddd | eeeeeeee | ffffffff |", 16,
     ["a        │ b        │ c", "─" * 9 + "┼" + "─" * 10 + "┼" + "─" * 9,
      "dddddddd │ eeeeeeee │ ffffffff"]),
    ("prose between comments", "<!-- a -->580<!-- b --> pages,\nhere</a>.", 40,
     ["580 pages,", "", "here."]),
    ("comments alone", "<!-- a\n-->\n<!-- b -->\n\nx", 40, ["x"]),
    ("link in a table", "| a |\n|-|\n| [[Known\\|n]] |", 20, ["a", "─", "n"]),
    ("infobox", "# A\n\n```info\nkind: thing\nby: [[Known]]\n```", 24,
     ["A", "━" * 24, "", "│ kind  thing", "│ by    Known"]),
    ("properties", "---\ntags: [a, b]\nempty:\n---\nx", 24,
     ["│ tags   a · b", "│ empty  —", "", "x"]),
    ("properties that cannot be read", "---\na: [b\n---\nx", 70, None),
    ("stub and categories", "{{stub}}\ncategories: [[Category:A]]", 60,
     ["stub · this article is only a beginning", "categories: A"]),
    ("picture", "![Alt](a.png)", 40, ["▣ Alt  PNG 4 × 3"]),
    ("picture elsewhere", "![Alt](https://e.org/a.png)", 60,
     ["▣ Alt↗  not fetched: it is not in the wiki"]),
    ("embedded picture", "![[a.png|300]]", 40, ["▣ a.png  PNG 4 × 3"]),
    ("picture in a text", "see ![Alt](a.png) here", 40, ["see ▣ Alt here"]),
    ("block id", "text ^abc", 40, ["text ^abc"]),
    ("CRLF", "# A\r\n\r\nb\r\nc\r\n", 4, ["A", "━" * 4, "", "b c"]),
    ("form feed is no break", "a\x0cb\u2028c", 20, ["a b c"]),
    ("nothing", "", 20, []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "width", "lines"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_what_markdown_looks_like(text: str, width: int, lines: list[str] | None) -> None:
    shown = plain_lines(text, width, SHELF)
    if lines is None:
        assert any("a: [b" in line for line in shown)
    else:
        assert shown == lines


@pytest.mark.parametrize("width", [4, 20, 40])
def test_a_property_that_holds_properties_is_shown_as_written(width: int) -> None:
    shown = "".join(plain_lines("---\nnested:\n  inner: value\n---\n", width))
    assert "inner:value" in shown.replace("│", "").replace(" ", "")


def test_a_page_nested_beyond_reason_is_shown_as_written() -> None:
    text = ">" * 500 + " deep"
    assert "deep" in "".join(plain_lines(text, 60))
