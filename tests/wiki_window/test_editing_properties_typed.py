"""Names, values and tags are completed while properties are typed as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.widgets.wiki.editing.completion import Kind, Wish
from tui.widgets.wiki.editing.front_completion import wish_in_front
from tui.widgets.wiki.editing.suggestions import Suggester
from tui.wiki_session import WikiSession
from vault.root import WikiLocation

NAME = Kind.PROPERTY


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("---\nst|", Wish(NAME, 0, "st", closing=": ")),
        ("---\nstatus: dr|", Wish(Kind.VALUE, 8, "dr", "status")),
        ("---\nstatus: |", None),
        ("---\ntags: film/bl|", Wish(Kind.TAG, 6, "film/bl")),
        ("---\ntags: [a, fi|]", Wish(Kind.TAG, 10, "fi")),
        ("---\ntags: a, #fi|", None),
        ("---\ntags:\n  - a\n  - fi|", Wish(Kind.TAG, 4, "fi")),
        ("---\nkind: [len|]", Wish(Kind.VALUE, 7, "len", "kind", is_in_flow=True)),
        ("---\nkind:\n- len|", Wish(Kind.VALUE, 2, "len", "kind")),
        ("---\nnote: a | b", None),
        ('---\nnote: "a|', None),
        ("---\na: 1\n---\nst|", None),
        ("st|", None),
        ("# x\n---\nst|", None),
    ],
)
def test_what_is_wanted(text: str, wish: Wish | None) -> None:
    before, _, after = text.partition("|")
    lines = (before + after).split("\n")
    row = before.count("\n")
    assert wish_in_front(lines, row, len(before.rpartition("\n")[2])) == wish


async def test_what_other_pages_have_is_offered(tmp_path: Path) -> None:
    pages = tmp_path / "wiki"
    pages.mkdir()
    (pages / "A.md").write_text("---\nstatus: draft\nrating: 5\ntags: [film/black]\n---\n# A\n")
    (pages / "B.md").write_text("---\nstatus: done\ncase: 'a: b, c #d'\n---\n")
    (pages / "D.md").write_text(
        "---\ncase: |\n  several\n  lines\nkey: [x, '@y']\npair: one, two\n---\n"
    )
    (pages / "C.md").write_text("---\nstatus: [broken\n---\n---\n")
    session = WikiSession(WikiLocation(pages, tmp_path / "consents", tmp_path / "data"))
    await session.open()
    suggester = Suggester(session)
    await suggester.warm_up()

    async def offered(wish: Wish) -> list[str]:
        return [each.text for each in await suggester.suggest(wish, "A.md", "")]

    assert (await offered(Wish(NAME, 0, "stat")))[0] == "status"
    assert await offered(Wish(NAME, 0, "ali")) == ["aliases"]
    assert await offered(Wish(NAME, 0, "aliases")) == []
    assert await offered(Wish(Kind.VALUE, 0, "d", "Status")) == ["done", "draft"]
    assert await offered(Wish(Kind.TAG, 0, "fil")) == ["film/black"]
    # What is put in is read again as the value it is of.
    assert await offered(Wish(Kind.VALUE, 0, "a", "case")) == ['"a: b, c #d"']
    assert await offered(Wish(Kind.VALUE, 0, "several", "case")) == []
    assert await offered(Wish(Kind.VALUE, 0, "y", "key")) == ['"@y"']
    assert await offered(Wish(Kind.VALUE, 0, "o", "pair")) == ["one, two"]
    assert await offered(Wish(Kind.VALUE, 0, "o", "pair", is_in_flow=True)) == ['"one, two"']
    await session.close()
