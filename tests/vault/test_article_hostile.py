"""Pages made to take long: each of them must end well within the time one test has."""

from collections.abc import Callable

import pytest

from vault.article.fences import repair_fences
from vault.article.front_matter_edits import set_property
from vault.article.normalise import normalise
from vault.article.page import parse_article
from vault.article.section_edits import append_to_section
from vault.article.structure import find_faults
from vault.errors import EditRefused

Made = Callable[[int], str]

HOSTILE: dict[str, Made] = {
    "brackets": lambda n: "[" * n * 10,
    "footnote marks": lambda n: "a[^1]" * n,
    "open footnote marks": lambda n: "[^" * n,
    "backtick runs": lambda n: " ".join("`" * (i % 300 + 1) for i in range(n // 4)),
    "nested quotes": lambda n: ("> " * 50 + "a\n") * (n // 10),
    "nested lists": lambda n: "".join("  " * (i % 100) + "- a\n" for i in range(n // 4)),
    "one long heading": lambda n: "# " + "[*a](" * n,
    "one long line": lambda n: "a " * n * 50,
    "one long cjk line": lambda n: "自" * n * 30,
    "blank lines": lambda n: " \r\n" * n * 4,
    "open lists of properties": lambda n: "---\n" + "a: [x\n" * n + "---\n",
    "open quotes of properties": lambda n: "---\n" + 'a: "\n' * n + "---\n",
    "blanks in a property": lambda n: "---\na: 'x" + " " * 60_000 + "\n  y'\n---\n" * (n > 0),
    "fences of both kinds": lambda n: "```\n~~~\n" * (n // 4),
    "fences that swallow": lambda n: "```py\n## a\n```js\n```\n" * (n // 100),
    "one infobox": lambda n: "```info\n" + "k: v\n" * n + "```\n",
    "category lines": lambda n: "# A\n" + "categories: [[Category:X]]\n" * (n // 4),
    "definitions": lambda n: "".join(f"[^{i}]: `conv:{i:08x}` (d, s)\n" for i in range(n // 4)),
    "one definition": lambda n: "[^1]: `conv:00000000` (d, s)\n" * (n // 4),
    "open comments": lambda n: "<!--" * n + "\n%%\n" * n,
    "formulas": lambda n: "$a" * n * 5,
    "closing sections": lambda n: "## See also\n- [[a]]\n## B\n" * (n // 20),
    "nul characters": lambda n: "\0" * n * 10,
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("made", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_page_ends(made: Made) -> None:
    text = made(4000)
    article = parse_article(text)
    find_faults(article, "A")
    repair_fences(text)
    for section in article.sections[-1:]:
        try:
            append_to_section(article, section, "more")
            set_property(article, "key", "value")
        except EditRefused:
            continue


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", ["fences that swallow", "closing sections", "definitions"])
def test_the_usual_form_of_a_hostile_page_ends(name: str) -> None:
    normalise(HOSTILE[name](800), "A", lambda target: None)


def test_ten_thousand_headings_are_ten_thousand_sections() -> None:
    article = parse_article("## Same\n" * 10_000)
    assert len(article.sections) == 10_000
    assert article.headings[-1].anchor == "same-9999"
    assert article.section("same-9999") == article.sections[-1]
