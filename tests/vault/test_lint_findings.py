"""Each kind of finding on a small wiki, with the fix it offers, and what is no finding."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.vault.moving_vault import make_vault, pages_of
from vault.graph.graph import Graph
from vault.graph.mentions import unlinked_mentions
from vault.index.index import Index
from vault.lint.finding import Finding
from vault.lint.lint import lint, mend
from vault.vault import Vault

PAGES = {
    "Hub.md": "# Hub\n\n[[a/Same]] [[Other]] [[Large]] [[Old]] [[Older]] [[Bad]] [[Notes]]\n",
    "a/Same.md": "[[Hub]]",
    "deep/b/Same.md": "[[Hub]] [[Same]]",
    "Other.md": "# Other\n\n## A part of it\n\nLine ^id1\n\n> ## Quoted\n\n[[Hub]] [[#Nowhere]]\n",
    "Linking.md": "[[Other#A part of]] [[Other#^id1]] [[Other#^id2]] [x](Other.md#a-part-of) "
    "[[Hub]]\n"
    "[[Other#Quoted]] [[Other#a part of it]] ![[Other#A part of it]]\n",
    "Old.md": "*Redirects to [[Hub]].*\n",
    "Older.md": "*Redirects to [[Old]].*\n",
    "Alone.md": "[[Hub]]",
    "Deaf.md": "no link",
    "Notes.md": "[[Hub]] said[^1] and[^2]\n\n[^1]: one\n[^3]: three\n",
    "Large.md": "[[Hub]]\n" + "word " * 60_000,
    "Wanting.md": "[[Gone]] and [[Hub]]\n\n`[[Not wanted]]`\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    made = make_vault(tmp_path / "v", PAGES)
    (made.root / "Bad.md").write_bytes(b"\x00\x01")
    return made


@pytest.fixture
def index(vault: Vault, tmp_path: Path) -> Iterator[Index]:
    made = Index(vault.root, tmp_path / "i.sqlite")
    made.refresh()
    yield made
    made.close()


def of_kind(findings: tuple[Finding, ...], kind: str) -> list[tuple[str, int]]:
    return [(found.path, found.line) for found in findings if found.kind == kind]


def test_every_kind_is_found_where_it_is(vault: Vault, index: Index) -> None:
    findings = lint(index, vault.read, is_ours=False)
    assert of_kind(findings, "wanted") == [("Wanting.md", 1)]
    assert ("Alone.md", 0) in of_kind(findings, "orphaned")
    assert ("Other.md", 0) not in of_kind(findings, "orphaned")
    assert of_kind(findings, "dead-end") == [("Deaf.md", 0)]
    assert of_kind(findings, "ambiguous") == [("deep/b/Same.md", 1)]
    assert of_kind(findings, "dead-anchor") == [
        ("Linking.md", 1),
        ("Linking.md", 1),
        ("Linking.md", 1),
        ("Other.md", 9),
    ]
    assert of_kind(findings, "double-redirect") == [("Older.md", 1)]
    assert of_kind(findings, "duplicate-title") == [("deep/b/Same.md", 0)]
    assert of_kind(findings, "footnote") == [("Notes.md", 1), ("Notes.md", 4)]
    assert of_kind(findings, "oversize") == [("Large.md", 0)]
    assert of_kind(findings, "unreadable") == [("Bad.md", 0)]
    assert of_kind(findings, "structure") == []


def test_what_can_be_mended_is_and_stays_so(vault: Vault, index: Index) -> None:
    findings = lint(index, vault.read, is_ours=False)
    mended = list(mend(index, findings, vault.read, vault.save, is_ours=False))
    assert {each.path: (len(each.findings), each.problem) for each in mended} == {
        "Linking.md": (2, ""),
        "Notes.md": (1, ""),
        "deep/b/Same.md": (1, ""),
    }
    pages = pages_of(vault)
    assert pages["Linking.md"].startswith(
        "[[Other#A part of it]] [[Other#^id1]] [[Other#^id2]] [x](Other.md#a-part-of-it)"
    )
    assert pages["deep/b/Same.md"] == "[[Hub]] [[a/Same]]"
    assert pages["Notes.md"] == "[[Hub]] said[^1] and[^2]\n\n[^1]: one\n"
    index.refresh()
    assert [found for found in lint(index, vault.read, is_ours=False) if found.fix] == []


def test_a_page_that_changed_since_is_mended_where_it_is_now(vault: Vault, index: Index) -> None:
    findings = lint(index, vault.read, is_ours=False)
    linking, notes = vault.root / "Linking.md", vault.root / "Notes.md"
    linking.write_text("New first line.\n\n" + linking.read_text())
    notes.write_text("said[^1]\n\n[^1]: one\n")
    mended = list(mend(index, findings, vault.read, vault.save, is_ours=False))
    assert {each.path: len(each.findings) for each in mended} == {
        "Linking.md": 2,
        "Notes.md": 0,
        "deep/b/Same.md": 1,
    }
    assert linking.read_text().startswith("New first line.\n\n[[Other#A part of it]] ")
    assert notes.read_text() == "said[^1]\n\n[^1]: one\n"


def test_a_heading_is_not_guessed_among_several(tmp_path: Path) -> None:
    headings = "## Second part\n\n## Second party\n"
    made = make_vault(tmp_path / "v", {"A.md": headings, "B.md": "[[A#Second par]] [[A#First]]"})
    index = Index(made.root, tmp_path / "i.sqlite")
    index.refresh()
    found = [each for each in lint(index, made.read, is_ours=False) if each.kind == "dead-anchor"]
    assert [each.fix for each in found] == [None, None]
    index.close()


def test_our_own_articles_keep_the_grammar(wiki: Vault, tmp_path: Path) -> None:
    (wiki.root / "articles/Odd_one.md").write_text("# Another name\n\n# Second\n")
    index = Index(wiki.root, tmp_path / "i.sqlite")
    index.refresh()
    findings = lint(index, wiki.read, is_ours=True)
    assert ("articles/Odd_one.md", 3) in of_kind(findings, "structure")
    seeds = [found for found in findings if found.kind in {"structure", "wanted", "footnote"}]
    assert {(found.kind, found.path) for found in seeds} == {
        ("structure", "articles/Odd_one.md"),
        ("wanted", "articles/Wikilinks.md"),
    }, "the page about links shows what a wanted page looks like"
    index.close()


def test_the_graph_of_a_page(index: Index) -> None:
    graph = Graph(index)
    beside = {each.path: (each.links_to, each.links_from) for each in graph.neighbours("Other.md")}
    assert beside == {"Hub.md": (1, 1), "Linking.md": (0, 7)}
    assert [(page.name, page.links, page.pages) for page in graph.wanted()] == [
        ("Gone", 1, ("Wanting.md",))
    ]
    assert graph.way("Alone.md", "Linking.md") == ("Alone.md", "Hub.md", "Linking.md")
    assert graph.way("Alone.md", "Alone.md") == ("Alone.md",)
    assert graph.way("Alone.md", "Deaf.md") == ()
    assert graph.way("Alone.md", "missing.md") == ()
    assert graph.neighbours("missing.md") == ()


MENTIONS = {
    "plain": ("We met Ann Lee there", ["Ann Lee"]),
    "alias and case": ("ann lee, AL and ANN", ["ann lee", "ANN"]),
    "broken over a line": ("met Ann\nLee", ["Ann\nLee"]),
    "linked": ("[[Ann Lee]] and [Ann Lee](x.md)", []),
    "in code": ("`Ann Lee`\n\n```\nAnn Lee\n```", []),
    "in a heading": ("# Ann Lee\n", []),
    "within a word": ("Joann Leeway", []),
    "chinese": ("见到李安妮的时候", ["李安妮"]),
}


@pytest.mark.parametrize(("text", "found"), MENTIONS.values(), ids=MENTIONS.keys())
def test_unlinked_mentions(tmp_path: Path, text: str, found: list[str]) -> None:
    person = "---\naliases: [ANN, AL, 李安妮]\n---\nwho?"
    vault = make_vault(tmp_path / "v", {"Ann Lee.md": person, "day.md": text})
    index = Index(vault.root, tmp_path / "i.sqlite")
    index.refresh()
    mentions = unlinked_mentions(index, vault.read, "Ann Lee.md")
    assert [mention.text for mention in mentions] == found
    assert all(text[each.start : each.end] == each.text for each in mentions)
    index.close()


def test_an_anchor_is_mended_in_the_quotes_of_a_property(tmp_path: Path) -> None:
    pages = {
        "T.md": '# T\n\n## He said "yes"\n\n## It\'s fine\n',
        "U.md": "---\na: \"[[T#He said yess]]\"\nb: '[[T#Its fine]]'\n---\n",
    }
    vault = make_vault(tmp_path / "v", pages)
    index = Index(vault.root, tmp_path / "i.sqlite")
    index.refresh()
    findings = lint(index, vault.read, is_ours=False)
    assert len(list(mend(index, findings, vault.read, vault.save, is_ours=False))) == 1
    index.close()
    assert pages_of(vault)["U.md"] == (
        "---\na: \"[[T#He said \\\"yes\\\"]]\"\nb: '[[T#It''s fine]]'\n---\n"
    )


def test_guessing_at_many_dead_anchors_ends(tmp_path: Path) -> None:
    headings = "".join(f"## Heading {number}\n" for number in range(300))
    links = "".join(f"[[Big#Heding {number}x]] " for number in range(300))
    vault = make_vault(tmp_path / "v", {"Big.md": headings, "Bad.md": links})
    index = Index(vault.root, tmp_path / "i.sqlite")
    index.refresh()
    dead = [each for each in lint(index, vault.read, is_ours=False) if each.kind == "dead-anchor"]
    index.close()
    assert len(dead) == 300
    assert dead[-1].fix is None
