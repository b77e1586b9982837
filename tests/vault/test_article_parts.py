import pytest

from vault.article.fences import repair_fences
from vault.article.footnotes import Citation
from vault.article.infobox import ValueKind, render_infobox
from vault.article.page import Article, parse_article
from vault.article.splices import apply_edits
from vault.article.structure import PartKind, find_faults, read_structure

BOX = """```info
type: prime lens
kind: thing
mount: [[K mount]]
owned: since 2021
bought: 2021-05
colours: black; silver
aliases: nifty fifty, the fifty, 50, F18
```
"""
PAGE = f"""# Travel lens
*Part of a series on [[Camera gear|gear]].*
categories: [[Category:Lenses]], [[Category: Travel gear|T]], [[Category:Lenses]], [[Other]]

{BOX}
The **travel lens** is a [[Prime lens]] that goes
on every trip.[^1]

## Use

It is used in the evening.[^2] `code [^7]`

```markdown
## Not a section
[^8]: `conv:deadbeef` (2024-01-01, chat)
```

### Indoors
More.

## See also

- [[Camera bag]]

## References

[^1]: `conv:0a1b2c3d` (2024-05-06, chat) chosen for weight
[^2]: `conv:9f8e7d6c` (2024-05-07, notes)
"""


@pytest.fixture(params=["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
def page(request: pytest.FixtureRequest) -> Article:
    return parse_article(PAGE.replace("\n", str(request.param)))


def test_a_canonical_infobox_is_written_as_it_was_read() -> None:
    box = parse_article(BOX).infobox
    assert box is not None
    assert render_infobox({each.key: each.value for each in box.fields}) == BOX


def test_the_fields_of_an_infobox(page: Article) -> None:
    box = page.infobox
    assert box is not None
    assert box.kind == "thing"
    assert box.aliases == ("nifty fifty", "the fifty", "50", "F18")
    assert {each.key: each.kind for each in box.fields} == {
        "type": ValueKind.SCALAR,
        "kind": ValueKind.SCALAR,
        "mount": ValueKind.LINK,
        "owned": ValueKind.SCALAR,
        "bought": ValueKind.DATE,
        "colours": ValueKind.LIST,
        "aliases": ValueKind.LIST,
    }
    colours = box.find("Colours")
    assert colours is not None
    assert colours.values == ("black", "silver")
    for field in box.fields:
        end = field.value_start + len(field.value)
        assert page.text[field.value_start : end] == field.value


@pytest.mark.parametrize(
    ("text", "fields", "kind"),
    [
        ("```info\nkind: person\n```", {"kind": "person"}, "person"),
        ("```info\nkind: planet\n```", {"kind": "planet"}, "thing"),
        ("```info\nno colon\n: no key\na: b: c\nd:\n```", {"a": "b: c", "d": ""}, "thing"),
        ("~~~info\na: b\n~~~", {"a": "b"}, "thing"),
        ("  ``` info  \n  a: b\n  ```", {"a": "b"}, "thing"),
        ("```info\n```", {}, "thing"),
        ("```info\na: b\n", None, ""),
        ("```information\na: b\n```", None, ""),
        ("    ```info\n    a: b\n    ```", None, ""),
        ("> ```info\n> a: b\n> ```", None, ""),
        ("plain", None, ""),
        ("```py\na: b\n```\n```info\nc: d\n```", {"c": "d"}, "thing"),
    ],
)
def test_what_is_an_infobox(text: str, fields: dict[str, str] | None, kind: str) -> None:
    box = parse_article(text).infobox
    found = {each.key: each.value for each in box.fields} if box else None
    assert found == fields
    assert box is None or box.kind == kind


def test_the_marks_above_the_lead(page: Article) -> None:
    opening = page.opening
    assert opening.series is not None
    assert opening.series.text == "Camera gear"
    assert opening.categories == ("Lenses", "Travel gear")
    assert opening.stub is None
    assert opening.redirect is None
    assert opening.lead is not None
    assert opening.lead.text.startswith("The **travel lens** is")
    assert opening.lead.text.endswith("that goes on every trip.[^1]")
    assert page.text[opening.lead.start :].startswith("The **travel")


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        ("# A\n\nfirst\nline\n\nsecond\n", "first line"),
        ("# A\n{{stub}}\ncategories: [[Category:X]]\nfirst\n", "first"),
        ("# A\n\n{{stub}}\n\ncategories: [[Category:X]]\n\nfirst\n", "first"),
        ("# A\n*Part of a series on [[X]]*\n\nfirst\n", "first"),
        ("# A\n\n`code` first\n", "`code` first"),
        ("# A\n\n<!-- note -->\n\nfirst\n", "first"),
        ("# A\n\n- a list\n\n> a quote\n\nfirst\n", "first"),
        ("# A\n\n## B\n\nnot the lead\n", None),
        ("# A\n", None),
        ("", None),
        ("no title\n\nat all", "no title"),
        ("---\na: b\n---\nfirst\n", "first"),
        ("# A\n\nabove\n\n```info\na: b\n```\n\nfirst\n", "first"),
        ("# A\n\n{{STUB}}\n", None),
        ("# A\n\n[^1]: definition\n", None),
        ("# A\n\n*Redirects to [[B]].*\n", None),
    ],
)
def test_the_lead_is_the_first_paragraph(text: str, lead: str | None) -> None:
    found = parse_article(text).opening.lead
    assert (found.text if found else None) == lead


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("# A\n\n*Redirects to [[B c]].*\n", "B c"),
        ("# A\n_redirects to [[B#x|y]]_\n", "B"),
        ("# A\n\n`*Redirects to [[B]].*`\n", None),
        ("# A\n\n    *Redirects to [[B]].*\n", None),
        ("# A\n\n<!--\n*Redirects to [[B]].*\n-->\n", None),
        ("# A\n\n## S\n*Redirects to [[B]].*\n", None),
        ("# A\n\nIt *Redirects to [[B]].*\n", None),
    ],
)
def test_a_redirect_is_a_line_of_its_own(text: str, target: str | None) -> None:
    found = parse_article(text).opening.redirect
    assert (found.text if found else None) == target


def test_pointers_to_main_articles() -> None:
    text = "# A\n\n## S\n*Main article: [[B]]*\n\n## T\n{{Main|C d}}\n"
    assert [each.text for each in parse_article(text).opening.main_articles] == ["B", "C d"]


def test_footnotes_outside_code(page: Article) -> None:
    notes = page.footnotes
    assert [mark.id for mark in notes.marks] == ["1", "2"]
    assert [each.id for each in notes.definitions] == ["1", "2"]
    assert [each.citation for each in notes.definitions] == [
        Citation("0a1b2c3d", "2024-05-06", "chat", "chosen for weight"),
        Citation("9f8e7d6c", "2024-05-07", "notes", ""),
    ]
    assert notes.undefined == ()
    assert notes.unused == ()
    assert notes.highest_number == 2


@pytest.mark.parametrize(
    ("text", "marks", "definitions"),
    [
        ("a[^1][^2].", ["1", "2"], []),
        (r"a\[^1] b[^x-y]", ["x-y"], []),
        ("a[^1]: in prose\n", ["1"], []),
        ("[^1]: one\n[^2]: two\n", [], ["1", "2"]),
        ("   [^1]: one\n    [^2]: code?\n", [], ["1"]),
        ("[^1]: one [^2]\n", ["2"], ["1"]),
        ("`[^1]` <!-- [^2] --> $[^3]$", [], []),
        ("[[^block]] [^ spaced] [^]", [], []),
        ("[[Page#^block]]", [], []),
        ("- a[^1]\n> b[^2]\n", ["1", "2"], []),
    ],
)
def test_what_is_a_footnote(text: str, marks: list[str], definitions: list[str]) -> None:
    notes = parse_article(text).footnotes
    assert [mark.id for mark in notes.marks] == marks
    assert [each.id for each in notes.definitions] == definitions


def test_a_definition_takes_the_lines_that_belong_to_it() -> None:
    text = "[^1]: one\n  more\nlazy\n\n[^2]: two\n## H\n[^3]: `conv:00ff00ff`\n- item\n"
    notes = parse_article(text).footnotes
    assert [text[each.start : each.end] for each in notes.definitions] == [
        "[^1]: one\n  more\nlazy\n",
        "[^2]: two\n",
        "[^3]: `conv:00ff00ff`\n",
    ]


def test_the_parts_in_order(page: Article) -> None:
    parts = read_structure(page)
    assert [part.kind.value for part in parts] == [
        *("h1", "series", "categories", "infobox", "lead", "section", "see-also", "references"),
    ]
    ranges = {part.kind: (part.first_line, part.last_line) for part in parts}
    assert ranges[PartKind.TITLE] == (1, 1)
    assert ranges[PartKind.INFOBOX] == (5, 13)
    assert ranges[PartKind.SECTION] == (18, 29)
    assert find_faults(page, "Travel_lens") == ()


FAULTS = [
    ("# A\n\n# A\n", ["There must be one level-one heading; found 2."]),
    ("text\n", ["There must be one level-one heading; found 0."]),
    ("# B\n", ["The title is “B” but the file is called “A”."]),
    (
        "# A\n\nLead.\n\n```info\na: b\n```\n",
        ["The infobox comes after the lead or a section; it belongs before both."],
    ),
    (
        "# A\n\nabove\n\n```info\na: b\n```\n\nLead.\n",
        ["The infobox comes after the lead or a section; it belongs before both."],
    ),
    (
        "# A\n\n## S\n\n```info\na: b\n```\n",
        ["The infobox comes after the lead or a section; it belongs before both."],
    ),
    ("# A\n\n## References\n\n## S\n", ["“References” must be last."]),
    ("# A\n\n## References\n\n## See also\n", ["“References” must be last."]),
    ("# A\n\n## See also\n\n## S\n", ["“See also” must come after “S”."]),
    ("# A\n\n## Notes\n\n## Notes\n", ["There is a second section “Notes”."]),
    ("# A\n\nx[^1]\n", ["The footnote mark [^1] has no definition."]),
    ("# A\n\n[^1]: x\n", ["The footnote [^1] is marked nowhere."]),
    ("# A\n\nx[^1]\n\n[^1]: a\n\n[^1]: b\n", ["The footnote [^1] is defined twice."]),
    ("# A\n\n```\n## S\n", ["A code block is never closed."]),
    ("---\nx\n---\n# A\n", ["The properties are malformed: line 2 is no property."]),
    ("# A\n\n> # quoted\n\n```\n# code\n```\n", []),
    ("# A\n\n## S\n\n## History\n\n## See also\n\n## Notes\n\n## References\n", []),
]


@pytest.mark.parametrize(("text", "messages"), FAULTS)
def test_departures_from_the_grammar_are_named(text: str, messages: list[str]) -> None:
    assert [fault.message for fault in find_faults(parse_article(text), "A")] == messages


REPAIRS = [
    # Sound pages stay: nested longer fences, headings in examples, other marks.
    ("# A\n\n```py\n# x\n```\n\n## B\n", None),
    ("````\n```\n## x\n```py\n````\n", None),
    ("~~~\n```\n~~~\n## B\n", None),
    ("```markdown\n## Example\n```\n", None),
    ("- ```\n  open in a list\n\n## B\n", None),
    # Left open: closed before the next section, or at the end.
    ("```py\nx = 1\n\n## B\ntext\n", "```py\nx = 1\n```\n\n## B\ntext\n"),
    ("~~~~py\nx = 1\n\n\n## B\n", "~~~~py\nx = 1\n~~~~\n\n\n## B\n"),
    ("   ```py\nx = 1\n## B\n", "   ```py\nx = 1\n```\n## B\n"),
    ("```py\n# comment\nx = 1\n", "```py\n# comment\nx = 1\n```\n"),
    ("```py\nx = 1", "```py\nx = 1\n```"),
    ("```py\r\nx = 1\r\n\r\n## B\r\n", "```py\r\nx = 1\r\n```\r\n\r\n## B\r\n"),
    # Opened by mistake: taken away.
    ("text\n```\n\n## B\ntext\n", "text\n\n## B\ntext\n"),
    ("text\n```\n\n", "text\n\n"),
    ("```", ""),
    # One missing fence shifts all that follow.
    (
        "```py\na\n\n## B\n\n```\nb\n```\n\n## C\n",
        "```py\na\n```\n\n## B\n\n```\nb\n```\n\n## C\n",
    ),
    (
        "```py\na\n\n## B\n\n```js\nb\n```\n\n## C\n",
        "```py\na\n```\n\n## B\n\n```js\nb\n```\n\n## C\n",
    ),
    (
        "```markdown\n## Example\n```\n\n```py\na\n\n## References\n",
        "```markdown\n## Example\n```\n\n```py\na\n```\n\n## References\n",
    ),
    ("```py\na\n\n## B\n```js\nb\n\n## C\n", "```py\na\n```\n\n## B\n```js\nb\n```\n\n## C\n"),
]


@pytest.mark.parametrize(("text", "expected"), REPAIRS)
def test_fences_are_repaired_so_that_sections_are_seen(text: str, expected: str | None) -> None:
    repaired = apply_edits(text, repair_fences(text))
    assert repaired == (text if expected is None else expected)
    assert repair_fences(repaired) == ()
