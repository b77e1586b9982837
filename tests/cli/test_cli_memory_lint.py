"""`zib memory lint` and `graph`: findings and fixes, neighbours, ways, for people and programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Memory
from tests.cli.test_cli_memory import git, told

PAGES = {
    "Trip.md": "# Trip\n\nThe [[Lens#Cleaning it]], the [[Gone]] and \x1b[31m[[Bag]].[^1]\n"
    "\n[^1]: said\n[^2]: not said\n",
    "Lens.md": "# Lens\n\n[[Trip]]\n\n## Cleaning of it\n\n[[Trip]] and the old bag.\n",
    "Bag.md": "# Bag\n\nHolds a lens. [[Lens]]\n",
    "Alone.md": "# Alone\n\nNo link.\n",
}


@pytest.fixture
def pages(wiki: Path) -> Path:
    for name, text in PAGES.items():
        (wiki / "articles" / name).write_text(text)
    return wiki / "articles"


def test_findings_are_lines_with_a_place(memory: Memory, pages: Path) -> None:
    result = memory("lint", "-k", "wanted", "-k", "dead-anchor", "-k", "dead-end")
    assert result.exit_code == 1
    assert [line for line in result.stdout.splitlines() if "Wikilinks" not in line] == [
        "articles/Alone.md: dead-end: it links to no other page",
        "articles/Trip.md:3: dead-anchor: articles/Lens.md has no “Cleaning it”"
        " (--fix: write #Cleaning of it)",
        "articles/Trip.md:3: wanted: there is no page “Gone”",
    ]
    assert "1 fault on 1 page (1 dead-anchor). 1 can be mended with --fix." in result.stderr
    assert "Worth a look: 3 notes on 3 pages (2 wanted, 1 dead-end)." in result.stderr
    assert memory("lint", "-k", "oversize").exit_code == 0
    unknown = memory("lint", "-k", "x")
    assert unknown.exit_code == 2
    assert "There is no kind “x”. There are: wanted, " in unknown.stderr


def test_a_new_wiki_has_no_fault(memory: Memory, wiki: Path) -> None:
    result = memory("lint", "--json")
    findings = json.loads(result.stdout)["findings"]
    assert (result.exit_code, [each for each in findings if each["is_fault"]]) == (0, [])
    (wiki / "articles/Odd.md").write_text("# Odd\n\n[[Odd#None]]\n")
    assert memory("lint").exit_code == 1


def test_what_is_sure_is_mended_in_a_commit_a_page(memory: Memory, pages: Path) -> None:
    memory("edit", "Trip", "-t", PAGES["Trip.md"].replace("said", "told"))
    before = git(pages.parent, "rev-list", "--count", "HEAD")
    result = memory("lint", "--fix", "-k", "dead-anchor", "-k", "footnote", "--json")
    document = json.loads(result.stdout)
    assert (result.exit_code, document["findings"]) == (0, [])
    (page,) = document["mended"]
    assert page["path"] == "articles/Trip.md"
    assert [finding["fix"] for finding in page["findings"]] == [
        "write #Cleaning of it",
        "take it out",
    ]
    text = (pages / "Trip.md").read_text()
    assert "[[Lens#Cleaning of it]]" in text
    assert text.endswith("[^1]: told\n")
    assert int(git(pages.parent, "rev-list", "--count", "HEAD")) == int(before) + 1
    assert git(pages.parent, "log", "-1", "--format=%s", "--name-only").split("\n\n") == [
        "Mend Trip",
        "articles/Trip.md\n",
    ]
    again = memory("lint", "--fix", "-k", "dead-anchor")
    assert (again.exit_code, again.stdout) == (0, "")


def test_a_folder_of_the_users_is_not_mended(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "wiki").mkdir()
    (tmp_path / "wiki/N.md").write_text("[^1]: unused\n")
    result = memory("lint", "--fix")
    assert result.exit_code == 1
    assert "you have not let zib change it" in result.stderr
    assert (tmp_path / "wiki/N.md").read_text() == "[^1]: unused\n"


def test_the_pages_beside_a_page(memory: Memory, pages: Path) -> None:
    result = memory("graph", "lens")
    assert result.stdout.splitlines() == [
        "→ 0   ← 1   articles/Bag.md",
        "→ 2   ← 1   articles/Trip.md",
        "unlinked articles/Bag.md:3: Holds a lens. [[Lens]]",
    ]
    document = told(memory("graph", "lens", "--json"))
    assert document["neighbours"][1] == {
        "path": "articles/Trip.md",
        "title": "Trip",
        "links_to": 2,
        "links_from": 1,
    }
    assert [each["path"] for each in document["mentions"]] == ["articles/Bag.md"]
    assert "No page links here" in memory("graph", "Alone").stderr


def test_the_shape_of_the_whole(memory: Memory, pages: Path) -> None:
    assert told(memory("graph", "--orphans", "--json")) == ["articles/Alone.md"]
    assert memory("graph", "--dead-ends").stdout == "articles/Alone.md\n"
    assert "1   Gone  ← articles/Trip.md" in memory("graph", "--wanted").stdout.splitlines()
    assert memory("graph", "--way", "Bag", "Trip").stdout.splitlines() == [
        "articles/Bag.md",
        "articles/Trip.md",
    ]
    lost = memory("graph", "--way", "Bag", "Alone")
    assert lost.exit_code == 1
    assert "No chain of links leads from articles/Bag.md to articles/Alone.md." in lost.stderr
    counts = told(memory("graph", "--json"))
    assert (counts["wanted"], counts["orphans"], counts["dead_ends"]) == (2, 1, 1)
    assert memory("graph", "Bag", "--orphans").exit_code == 2
