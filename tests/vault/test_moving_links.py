"""A rename keeps every form a link can have; each row is a page before and after."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vault.moving_vault import make_vault, pages_of
from vault.links.resolve import Found
from vault.links.scan import find_links
from vault.vault import Vault

OLD, NEW = "Work/Old name.md", "Work/New (name).md"

RENAMED = {
    "plain": ("[[Old name]]", "[[New (name)]]"),
    "alias": ("[[Old name|the old]]", "[[New (name)|the old]]"),
    "alias like the name": ("[[Old name|Old name]]", "[[New (name)|Old name]]"),
    "fragment": ("[[Old name#Part one]]", "[[New (name)#Part one]]"),
    "heading path": ("[[Old name#A#B|x]]", "[[New (name)#A#B|x]]"),
    "block": ("[[Old name#^a1-b]]", "[[New (name)#^a1-b]]"),
    "embed": ("![[Old name]]", "![[New (name)]]"),
    "suffix": ("[[Old name.md]]", "[[New (name).md]]"),
    "path": ("[[Work/Old name]]", "[[Work/New (name)]]"),
    "from the top": ("[[/Work/Old name]]", "[[/Work/New (name)]]"),
    "beside": ("[[../Work/Old name]]", "[[../Work/New (name)]]"),
    "other case": ("[[old NAME]]", "[[New (name)]]"),
    "underscore": ("[[Old_name]]", "[[New (name)]]"),
    "spaces around": ("[[ Old name | x ]]", "[[ New (name) | x ]]"),
    "in a table": ("| [[Old name\\|x]] |", "| [[New (name)\\|x]] |"),
    "in a quote": ("> - [[Old name]]", "> - [[New (name)]]"),
    "twice": ("[[Old name]] [[Old name]]", "[[New (name)]] [[New (name)]]"),
    "markdown": ("[x](../Work/Old%20name.md)", "[x](../Work/New%20%28name%29.md)"),
    "markdown, no suffix": ("[x](../Work/Old%20name)", "[x](../Work/New%20%28name%29)"),
    "markdown, fragment": (
        "[x](../Work/Old%20name.md#part-one)",
        "[x](../Work/New%20%28name%29.md#part-one)",
    ),
    "markdown, angle": ("[x](<../Work/Old name.md>)", "[x](<../Work/New (name).md>)"),
    "markdown, title": (
        '[x](../Work/Old%20name.md "Old name")',
        '[x](../Work/New%20%28name%29.md "Old name")',
    ),
    "markdown, from the top": ("[x](/Work/Old%20name.md)", "[x](/Work/New%20%28name%29.md)"),
    "markdown, by its name": ("[x](Old%20name.md)", "[x](New%20%28name%29.md)"),
    "markdown embed": ("![x](../Work/Old%20name.md)", "![x](../Work/New%20%28name%29.md)"),
    "definition": (
        "[x][a]\n\n[a]: ../Work/Old%20name.md",
        "[x][a]\n\n[a]: ../Work/New%20%28name%29.md",
    ),
    "definition, angle": (
        "[a]\n\n[a]: <../Work/Old name.md> 'T'",
        "[a]\n\n[a]: <../Work/New (name).md> 'T'",
    ),
    "property": ('---\nup: "[[Old name]]"\n---\n', '---\nup: "[[New (name)]]"\n---\n'),
    "property list": (
        "---\nup:\n  - '[[Old name|x]]'\n  - \"[[Other]]\"\n---\n",
        "---\nup:\n  - '[[New (name)|x]]'\n  - \"[[Other]]\"\n---\n",
    ),
    "property flow": (
        '---\nup: ["[[Old name]]", "[[Work/Old name#A]]"]\n---\n',
        '---\nup: ["[[New (name)]]", "[[Work/New (name)#A]]"]\n---\n',
    ),
    "in a footnote": ("[^1]\n\n[^1]: [[Old name]] says so", "[^1]\n\n[^1]: [[New (name)]] says so"),
    "around a picture": (
        "[![x](a.png)](../Work/Old%20name.md)",
        "[![x](a.png)](../Work/New%20%28name%29.md)",
    ),
    "as a picture in a link": (
        "[![x](../Work/Old%20name.md)](b.md)",
        "[![x](../Work/New%20%28name%29.md)](b.md)",
    ),
    "around a wikilink": (
        "[a [[Old name]] b](../Work/Old%20name.md)",
        "[a [[New (name)]] b](../Work/New%20%28name%29.md)",
    ),
    "broken across lines": (
        "[the\nname](../Work/Old%20name.md\n'T \\' t')",
        "[the\nname](../Work/New%20%28name%29.md\n'T \\' t')",
    ),
    "between amounts": ("[[$A]] [[Old name]] [[B$C]]", "[[$A]] [[New (name)]] [[B$C]]"),
    "before letters": ("[x](../Work/Old%20name.md)y)", "[x](../Work/New%20%28name%29.md)y)"),
    "line breaks": ("a\r\n[[Old name]]\r\rb\n", "a\r\n[[New (name)]]\r\rb\n"),
    "byte order mark": ("\ufeff[[Old name]]", "\ufeff[[New (name)]]"),
}

UNTOUCHED = [
    "`[[Old name]]`",
    "```\n[[Old name]]\n```",
    "~~~\n[x](../Work/Old%20name.md)\n~~~",
    "    [[Old name]]",
    "%% [[Old name]] %%",
    "<!-- [[Old name]] -->",
    r"\[[Old name]]",
    "Old name",
    "[[Old names]] [[My Old name]]",
    "[Old name]: ../Work/Old%20name said so",
    "[x\n\ny](../Work/Old%20name.md)",
    "[x]\n(../Work/Old%20name.md)",
    "[x](Old name.md)",
    "[x](https://example.org/Old%20name.md)",
    "[^1]: ../Work/Old%20name.md",
    "---\nup: [[Old name]]\n---\n",
    '---\n# up: "[[Old name]]"\n---\n',
    "[[conv:Old name]]",
]


def renamed(root: Path, text: str) -> str:
    vault = make_vault(root, {OLD: "# Old name\n", "Home/page.md": text, "Other.md": "x"})
    moved = vault.moves.carry_out(vault.moves.plan_rename(OLD, "New (name)"))
    assert moved.carried.moved == ((OLD, NEW),)
    assert moved.carried.skipped == ()
    pages = pages_of(vault)
    assert pages[NEW] == "# Old name\n", "the heading of somebody's page is his"
    assert OLD not in pages
    return pages["Home/page.md"]


@pytest.mark.parametrize(("before", "after"), RENAMED.values(), ids=RENAMED.keys())
def test_a_link_keeps_its_form(tmp_path: Path, before: str, after: str) -> None:
    assert renamed(tmp_path / "v", before) == after


@pytest.mark.parametrize("text", UNTOUCHED)
def test_what_is_no_link_is_left_alone(tmp_path: Path, text: str) -> None:
    assert renamed(tmp_path / "v", text) == text


@pytest.mark.parametrize(
    "title", ["$1 and \\1 paid".replace("\\", ""), "Ünï cödé 读书", "100% true", "a & b; c"]
)
def test_a_new_name_is_text_and_no_pattern(tmp_path: Path, title: str) -> None:
    vault = make_vault(tmp_path / "v", {"a.md": "x", "b.md": "[[a]] [x](a.md) [y](<a.md>)"})
    vault.moves.carry_out(vault.moves.plan_rename("a.md", title))
    resolver = vault.resolver(vault.listing())
    text = pages_of(vault)["b.md"]
    found = [resolver.resolve(link, "b.md") for link in find_links(text)]
    assert [f.path for f in found if isinstance(f, Found)] == [f"{title}.md"] * 3


MOVED = {
    "relative links of the page": (
        "[a](b.md) ![](pic.png) [c](../c.md) [[b]] [[./b]] [d](gone.png) ![[pic.png]]",
        "[a](../Work/b.md) ![](../Work/pic.png) [c](../c.md) [[b]] [[../Work/b]] [d](gone.png) "
        "![[pic.png]]",
    ),
    "links to itself": ("[[page]] [[#top]] [x](page.md#a)", "[[page]] [[#top]] [x](page.md#a)"),
    "pictures with spaces": (
        "![](a%20b.png) ![](<a b.png>)",
        "![](../Work/a%20b.png) ![](<../Work/a b.png>)",
    ),
}


@pytest.mark.parametrize(("before", "after"), MOVED.values(), ids=MOVED.keys())
def test_a_moved_page_still_sees_what_it_saw(tmp_path: Path, before: str, after: str) -> None:
    root = tmp_path / "v"
    vault = make_vault(
        root, {"Work/page.md": before, "Work/b.md": "x", "c.md": "[p](Work/page.md)"}
    )
    for name in ("pic.png", "a b.png"):
        (root / "Work" / name).write_bytes(b"\x89PNG")
    vault.moves.carry_out(vault.moves.plan_move("Work/page.md", "Else/page.md"))
    pages = pages_of(vault)
    assert pages["Else/page.md"] == after
    assert pages["c.md"] == "[p](Else/page.md)"


def test_a_namesake_is_not_linked_by_mistake(tmp_path: Path) -> None:
    pages = {"a/X.md": "", "deep/er/X.md": "", "n.md": "[[X]] [[deep/er/X]]"}
    vault = make_vault(tmp_path / "v", pages)
    vault.moves.carry_out(vault.moves.plan_move("a/X.md", "a/very/far/away/X.md"))
    assert pages_of(vault)["n.md"] == "[[away/X]] [[deep/er/X]]"


def test_a_deleted_page_is_wanted_and_not_its_namesake(tmp_path: Path) -> None:
    pages = {"a/X.md": "one", "deep/er/X.md": "two", "n.md": "[[X]] [x](a/X.md) [[X|y]]"}
    vault = make_vault(tmp_path / "v", pages)
    moved = vault.moves.carry_out(vault.moves.plan_delete("a/X.md"))
    assert moved.kept_in == ".trash"
    assert (vault.root / ".trash/X.md").read_text() == "one"
    assert pages_of(vault)["n.md"] == "[[a/X]] [x](a/X.md) [[a/X|y]]"


def test_a_page_with_a_number_sign_in_its_name(tmp_path: Path) -> None:
    vault = make_vault(tmp_path / "v", {"C#.md": "x", "n.md": "[[C#]] [[C#|lang]]"})
    vault.moves.carry_out(vault.moves.plan_rename("C#.md", "C sharp"))
    assert pages_of(vault)["n.md"] == "[[C sharp]] [[C sharp|lang]]"


def test_an_apostrophe_in_a_property_stays_quoted(tmp_path: Path) -> None:
    text = "---\na: '[[Bob''s page]]'\nb: \"[[Bob's page]]\"\n---\n"
    vault = make_vault(tmp_path / "v", {"Bob's page.md": "x", "n.md": text})
    vault.moves.carry_out(vault.moves.plan_rename("Bob's page.md", "Ann's"))
    assert pages_of(vault)["n.md"] == "---\na: '[[Ann''s]]'\nb: \"[[Ann's]]\"\n---\n"


@pytest.mark.parametrize("title", ["snake_case", "_x_", "two words_and", "__"])
def test_an_underscore_stays_one_in_a_folder_of_the_users(tmp_path: Path, title: str) -> None:
    vault = make_vault(tmp_path / "v", {"a.md": "x", "b.md": "[[a]] [[a|A]] [x](a.md)"})
    vault.moves.carry_out(vault.moves.plan_rename("a.md", title))
    spelled = title.replace(" ", "%20")
    assert pages_of(vault)["b.md"] == f"[[{title}]] [[{title}|A]] [x]({spelled}.md)"


def test_a_page_of_ours_is_linked_by_its_title(wiki: Vault) -> None:
    for name, text in {"Old": "# Old\n", "B": "[[Old]] [[old|x]] [y](Old.md)\n"}.items():
        (wiki.root / f"articles/{name}.md").write_text(text)
    wiki.moves.carry_out(wiki.moves.plan_rename("articles/Old.md", "New_name"))
    pages = pages_of(wiki)
    assert pages["articles/New_name.md"] == "# New name\n"
    assert pages["articles/B.md"] == "[[New name]] [[New name|x]] [y](New_name.md)\n"


def test_a_file_under_two_names_is_written_once(tmp_path: Path) -> None:
    vault = make_vault(tmp_path / "v", {"a.md": "x", "b.md": "[[a]]"})
    (vault.root / "c.md").symlink_to("b.md")
    (vault.root / "d.md").symlink_to("a.md")
    carried = vault.moves.carry_out(vault.moves.plan_rename("a.md", "A2")).carried
    assert [page.path for page in carried.edited] == ["b.md"]
    assert [(page.path, page.reason) for page in carried.skipped] == [
        ("d.md", "it is a link to a.md")
    ]
    assert (vault.root / "c.md").is_symlink()
    assert (vault.root / "b.md").read_text() == "[[A2]]"


def test_a_page_too_large_to_look_at_is_told_of(tmp_path: Path) -> None:
    vault = make_vault(tmp_path / "v", {"a.md": "x", "big.md": "[[a]]" + " " * 5_000_000})
    carried = vault.moves.carry_out(vault.moves.plan_rename("a.md", "A2")).carried
    assert [page.path for page in carried.skipped] == ["big.md"]


def test_a_link_that_no_spelling_can_lead_there_is_told_of(tmp_path: Path) -> None:
    # `[[C#/X#Part]]` would be the part `/X#Part` of a page C.
    vault = make_vault(tmp_path / "v", {"a.md": "", "C#/X.md": "", "n.md": "[[X#Part]]"})
    carried = vault.moves.carry_out(vault.moves.plan_rename("a.md", "X")).carried
    assert [page.path for page in carried.skipped] == ["n.md"]
    assert pages_of(vault)["n.md"] == "[[X#Part]]"


def test_a_link_through_a_folder_with_a_number_sign_follows(tmp_path: Path) -> None:
    pages = {"a/C#/Y.md": "", "n.md": '---\nup: "[[C#/Y.md]]"\n---\n[[a/C#/Y]]'}
    vault = make_vault(tmp_path / "v", pages)
    vault.moves.carry_out(vault.moves.plan_rename("a/C#/Y.md", "X"))
    assert pages_of(vault)["n.md"] == '---\nup: "[[C#/X.md]]"\n---\n[[a/C#/X]]'
