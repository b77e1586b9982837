"""What a page is linked with, and a mention that becomes a link."""

from __future__ import annotations

from pathlib import Path

import pytest

from vault.errors import EditRefused, PageChanged
from vault.graph.around import incoming, outgoing
from vault.graph.linking import link_mention
from vault.graph.mentions import unlinked_mentions
from vault.links.addresses import addresses_in
from vault.vault import Vault, open_vault

ADDRESSES = [
    ("see https://a.example/x.", ["https://a.example/x"]),
    ("(https://a.example/x_(y)) <mailto:me@x>", ["https://a.example/x_(y)", "mailto:me@x"]),
    ("[text](https://a.example) [p](Page.md) ![i](https://a.example/i)", ["https://a.example"]),
    ("[![i](b.png)](https://a) https://b.example", ["https://a", "https://b.example"]),
    ("nothing: at all, C:\\x", []),
]  # fmt: skip


@pytest.fixture
def wiki(tmp_path: Path) -> Vault:
    return open_vault(tmp_path / "wiki", data_dir=tmp_path / "data")


@pytest.mark.parametrize(("text", "found"), ADDRESSES)
def test_addresses_are_found(text: str, found: list[str]) -> None:
    assert [address.target for address in addresses_in(text, text)] == found


def test_links_are_told_with_their_lines(wiki: Vault) -> None:
    page = "# Lens\n\n[[Trip]] and [[Nobody|who]]\n\nhttps://a.example\n[b](Trip.md)\n"
    wiki.create("Lens", text=page)
    wiki.create("Trip", text="# Trip\n\nwith the [[Lens]], the [[lens]]\n\nand [[Lens#x]]\n")
    found = incoming(wiki.index, wiki.read, "articles/Lens.md")
    assert found.pages == 1
    told = [(link.title, link.line, link.context) for link in found.links]
    line = "with the [[Lens]], the [[lens]]"
    assert told == [("Trip", 3, line), ("Trip", 3, line), ("Trip", 5, "and [[Lens#x]]")]
    links = outgoing(wiki.index, page, "articles/Lens.md")
    assert [(link.state, link.target, link.line) for link in links] == [
        ("found", "Trip", 3), ("wanted", "Nobody", 3),
        ("address", "https://a.example", 5), ("found", "Trip.md", 6),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I took the lens with me.", "I took the [[lens]] with me."),
        ("| a | b |\n|---|---|\n| old glass | x |\n", "| [[Lens\\|old glass]] |"),
        ("old\nglass", "[[Lens|old glass]]"),
    ],
)
def test_a_mention_becomes_a_link(wiki: Vault, before: str, after: str) -> None:
    wiki.create("Lens", text="---\naliases: [Old glass]\n---\n# Lens\n")
    wiki.create("Old glass", text="# Old glass\n", folder="Talk")
    wiki.create("Trip", text=f"# Trip\n\n{before}\n")
    (mention,) = unlinked_mentions(wiki.index, wiki.read, "articles/Lens.md")
    link_mention(wiki, mention, "articles/Lens.md")
    assert after in (wiki.root / "articles/Trip.md").read_text()
    assert unlinked_mentions(wiki.index, wiki.read, "articles/Lens.md") == ()
    with pytest.raises(PageChanged):
        link_mention(wiki, mention, "articles/Lens.md")


def test_a_link_that_would_lead_elsewhere_is_not_written(wiki: Vault) -> None:
    wiki.create("Lens", text="# Lens\n")
    wiki.create("Trip", text="# Trip\n\nthe lens\n")
    (mention,) = unlinked_mentions(wiki.index, wiki.read, "articles/Lens.md")
    before = (wiki.root / "articles/Trip.md").read_text()
    with pytest.raises(EditRefused):
        link_mention(wiki, mention, "articles/Nowhere.md")
    assert (wiki.root / "articles/Trip.md").read_text() == before
