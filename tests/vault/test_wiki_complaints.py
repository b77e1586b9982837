"""What users of other wikis complained of about renames, saving and names, each as a case here.

Numbers are those of the collected reports; `ELSEWHERE` says where a report is tested, or why it
cannot happen here.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest

from tests.vault.conftest import PlainGit
from tests.vault.moving_vault import leads, make_vault, pages_of
from vault.article.page import parse_article
from vault.errors import ArticleExists, NotAllowed
from vault.links.scan import find_links
from vault.links.tags import find_tags
from vault.names import stem_for
from vault.vault import Vault, open_vault

ELSEWHERE = {
    13: "links from sub-folders resolve alike from everywhere: test_vault_resolve",
    14: "identity is the path: two pages of one name in two folders are two pages, 39 below",
    16: "embeds are not expanded by the vault; the view that does has a depth",
    22: "nothing is extracted from lists, callouts or brackets: a link is a link form only",
    23: "there is no export that converts links",
    26: "a rename is planned and carried out for the path it was asked for; no view takes part",
    28: "an embed keeps its mark: test_moving_links",
    31: "renaming a heading changes no file name; anchors are checked by lint",
    33: "what the log of a page shows across renames is the subject of the history",
    43: "hiding excludes from searches and deletes nothing: test_vault_obsidian",
    44: "a page is moved by a rename of its file; no copy is left to be skipped",
    46: "mixed line breaks are kept: test_vault_saving",
    47: "mixed line breaks are kept: test_vault_saving",
    51: "nothing blocks or retries: a malformed block is read as far as it can be, 58 below",
    56: "front matter is edited by line and not by pattern: test_article_front_matter",
    57: "front matter is edited by line and never folded: test_article_front_matter",
    61: "values stay text, dates too: test_article_front_matter",
    67: "a path of another system is a relative name or refused: test_vault_root",
    69: "which day a daily page is for is asked of a clock that tests set, where pages are made",
    68: "git is asked with raw paths after -z: test_vault_commit",
}


# --- A: parsing links, embeds, tags


@pytest.mark.parametrize(
    ("number", "text", "targets"),
    [
        (1, "```\n[[1]]\n```\n\n    [[2]]\n\n`[[3]]`", []),
        (2, "Write `[[page]]` to link.\n\n~~~\n[[page]]\n~~~", []),
        (3, "```bash\nif [[ -z $X ]]; then\n```\n~~~~\n```\n[[a]]\n```\n~~~~", []),
        (4, "```[[a|b]]```\n\n[[after]]", ["after"]),
        (5, "```python\nWelcome = 1  # [[Welcome]]\n```", []),
        (7, "| [[a\\|b]] | [[c]] |\n|---|---|\n| [[d\\|e]] | x |", ["a", "c", "d"]),
        (8, "|[[page\\|alias]]|", ["page"]),
        (9, "[[site.com]] [[example.org|x]]", ["site.com", "example.org"]),
        (11, "[[P#H]] [x](#h) [x](P.md#Header-1)", ["P", "", "P.md"]),
        (12, "## H [[/test]] [/b] [red] [@click=x]", ["/test"]),
    ],
)
def test_links_are_read_where_they_are(number: int, text: str, targets: list[str]) -> None:
    assert [link.target for link in find_links(text)] == targets, number


@pytest.mark.parametrize(
    ("number", "text", "names"),
    [
        (18, "https://x/#/settings#privacy", []),
        (19, "```c\n#include <x> ` \n#0\n```\nx", []),
        (20, "---\nCourse:\n - CS335\n---\n#real", ["real"]),
    ],
)
def test_tags_are_read_where_they_are(number: int, text: str, names: list[str]) -> None:
    assert [tag.name for tag in find_tags(text)] == names, number


def test_10_a_heading_is_not_part_of_a_wanted_page(tmp_path: Path) -> None:
    vault = make_vault(tmp_path / "v", {"a.md": "[[note#heading]]"})
    (link,) = find_links("[[note#heading]]")
    assert str(vault.resolve(link, "a.md")) == "Wanted(name='note')"


# --- B: rename, move, delete


@pytest.mark.parametrize(
    ("number", "text", "expected"),
    [
        (25, "[[X|X]]", "[[Y|X]]"),
        (27, "[[X]] [[#X]] ![[X#a]]", "[[Y]] [[#X]] ![[Y#a]]"),
        (42, "[x](<X.md>) [[#heading]]", "[x](<Y.md>) [[#heading]]"),
        (42, '---\nup: "[[X]]"\n---\n', '---\nup: "[[Y]]"\n---\n'),
    ],
)
def test_a_rename_reaches_every_link(tmp_path: Path, number: int, text: str, expected: str) -> None:
    vault = make_vault(tmp_path / "v", {"X.md": text, "other.md": text})
    vault.moves.carry_out(vault.moves.plan_rename("X.md", "Y"))
    assert pages_of(vault) == {"Y.md": expected, "other.md": expected}, number


def test_32_no_page_is_overwritten(tmp_path: Path) -> None:
    vault = make_vault(tmp_path / "v", {"a.md": "a", "b.md": "b"})
    with pytest.raises(ArticleExists):
        vault.moves.plan_rename("a.md", "b")


@pytest.mark.parametrize("number", [34, 35, 36, 37, 38, 39])
def test_a_rename_of_the_case_keeps_the_page(
    tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also on a disk that takes both spellings for one file."""
    vault = make_vault(tmp_path / "v", {"activity.md": f"text {number}", "n.md": "[[activity]]"})
    if number % 2:
        monkeypatch.setattr("vault.moving.relocate._is_same_file", lambda *_: True)
    vault.moves.carry_out(vault.moves.plan_rename("activity.md", "Activity"))
    assert pages_of(vault) == {"Activity.md": f"text {number}", "n.md": "[[activity]]"}


@pytest.mark.parametrize(("first", "second"), [("site-roadmap", "Site-Roadmap"), ("Café", "CAFÉ")])
def test_40_no_page_is_made_beside_its_twin(tmp_path: Path, first: str, second: str) -> None:
    vault = make_vault(tmp_path / "v", {f"{unicodedata.normalize('NFD', first)}.md": "x"})
    with pytest.raises(ArticleExists):
        vault.create(second)


def test_42_a_dollar_in_a_name_is_a_dollar(tmp_path: Path) -> None:
    vault = make_vault(tmp_path / "v", {"X.md": "", "n.md": "[[X]]"})
    vault.moves.carry_out(vault.moves.plan_rename("X.md", "Pay $1 & $& $$"))
    assert pages_of(vault)["n.md"] == "[[Pay $1 & $& $$]]"


# --- C: saving, encoding, front matter


@pytest.mark.parametrize(
    ("number", "content"),
    [
        (45, b"a\nb\n"),
        (45, b"a\r\nb\r\n"),
        (46, b"---\nt: x\n---\r\nbody\r\n"),
        (47, b"a\rb\nc\r\nd"),
        (47, b"\xef\xbb\xbfa\n\x0cb\xe2\x80\xa8c\xc2\x85\tx  \nno end"),
        (48, b"---\nup: [[x]]\n---\n\n---\n\nSetext\n---\n"),
        (49, b"---\na: 1\n---\n---\nb: 2\n---\n"),
        (50, b"---\ntitle: Governance: Rootkeeper\n---\n"),
        (52, b"---\ndate: 2024-01-15\ntype: null\n---\n"),
        (53, b"---\ntitle: 2026-05-26\n---\n"),
        (54, b"---\ntags: '[\"svelte\"'\n---\n"),
        (55, b"---\ndate: {{date}}\n? {{x}}\n---\n"),
        (58, b"---\n\tbad: [\n  'x\n---\nbody\n"),
    ],
)
def test_a_page_keeps_its_bytes(tmp_path: Path, number: int, content: bytes) -> None:
    root = tmp_path / "v"
    root.mkdir()
    (root / "a.md").write_bytes(content)
    vault = make_vault(root, {})
    file = vault.read("a.md")
    assert file.text is not None
    article = parse_article(file.text)
    assert article.front_matter is None or article.front_matter.end > 0
    vault.save("a.md", file.text, file)
    assert (root / "a.md").read_bytes() == content, number
    if file.read_only_reason is None:
        vault.save("a.md", file.text + "more", file)
        assert (root / "a.md").read_bytes() == content + b"more", number


def test_59_a_section_is_added_without_the_rest_being_rewritten(tmp_path: Path) -> None:
    from vault.article.section_edits import insert_section
    from vault.article.splices import apply_edits

    text = "# P\n\nlead\n\n## One\n\nlong\n"
    new = apply_edits(text, insert_section(parse_article(text), "Two", "more"))
    assert new.startswith(text.rstrip("\n"))
    assert "## Two" in new


# --- D: file names, platforms


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (62, "Why?.md"),
        (62, "C++.md"),
        (62, "a+b.md"),
        (62, "München.md"),
        (62, "a_b-c.md"),
        (62, "RedShift: OLED….md"),
        (62, "自己打字的键盘....md"),
        (63, "a: b?.md"),
        (64, "con.md"),
        (68, "R&D/x.md"),
    ],
)
def test_any_name_that_is_there_opens_and_links(tmp_path: Path, number: int, name: str) -> None:
    vault = make_vault(tmp_path / "v", {name: "text", "n.md": f"[[{name[:-3]}]]"})
    assert vault.read(name).text == "text", number
    assert leads(vault)["n.md"] == [name], number


@pytest.mark.parametrize(
    ("number", "title"),
    [
        (62, "a?b"),
        (63, "a: b"),
        (64, "con"),
        (64, "aux.conf"),
        (65, 'a:\\/<>"|?*'),
        (65, "a/b"),
    ],
)
def test_a_name_that_breaks_elsewhere_is_not_made(number: int, title: str) -> None:
    with pytest.raises(NotAllowed):
        stem_for(title)


def test_65_a_refused_name_deletes_nothing(tmp_path: Path) -> None:
    vault = make_vault(tmp_path / "v", {"a.md": "x"})
    with pytest.raises(NotAllowed):
        vault.moves.plan_rename("a.md", "a:b")
    assert pages_of(vault) == {"a.md": "x"}


def test_70_a_page_kept_in_the_cloud_is_not_taken_for_deleted(wiki: Vault, git: PlainGit) -> None:
    page = wiki.root / "articles/Welcome.md"
    page.unlink()
    (wiki.root / "articles/.Welcome.md.icloud").write_bytes(b"")
    open_vault(wiki.root).recover()
    assert "articles/Welcome.md" in git(wiki.root, "ls-tree", "-r", "--name-only", "HEAD")


REPORTED = {
    *(*range(1, 6), *range(7, 15), 16, *range(18, 21), 22, 23),
    *(*range(25, 29), *range(31, 41), *range(42, 45)),
    *(*range(45, 60), 61),
    *(*range(62, 66), *range(67, 71)),
}
_CASE = re.compile(r"def test_(\d+)_|^ +\((\d+), |\"number\", \[([\d, ]+)\]", re.MULTILINE)


def test_every_report_is_a_case_or_has_a_reason() -> None:
    here = Path(__file__).read_text(encoding="utf-8")
    cases = {
        int(number)
        for found in _CASE.findall(here)
        for number in ", ".join(filter(None, found)).split(", ")
    }
    assert REPORTED - cases - set(ELSEWHERE) == set()
    assert set(ELSEWHERE) - REPORTED == set()
