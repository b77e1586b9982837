"""Pins are kept for each wiki outside of it, and what cannot be read is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.widgets.wiki.opened import Opened
from tui.widgets.wiki.pins import MOST_PINS, Pins
from vault.errors import VaultUnusable


def test_a_pin_is_remembered_and_taken_back(tmp_path: Path) -> None:
    wiki, data = tmp_path / "wiki", tmp_path / "data"
    wiki.mkdir()
    pins = Pins(data, wiki)
    assert pins.read() == ()
    odd = "articles/\udcff 界.md"
    assert pins.toggle("articles/A.md") == ("articles/A.md",)
    assert pins.toggle(odd) == (odd, "articles/A.md")
    assert Pins(data, wiki).read() == (odd, "articles/A.md")
    assert Pins(data, tmp_path / "other").read() == ()
    assert pins.toggle("articles/A.md") == (odd,)
    assert list(wiki.iterdir()) == []


def test_pins_and_openings_follow_a_renamed_page(tmp_path: Path) -> None:
    pins, opened = Pins(tmp_path, tmp_path), Opened(tmp_path, tmp_path)
    for number, path in enumerate(("a.md", "b.md", "a.md")):
        opened.note(path, number)
        if number < 2:
            pins.toggle(path)
    opened.note("new.md", 3)
    moves = {"a.md": "new.md"}
    pins.follow(lambda path: moves.get(path, path))
    opened.follow(lambda path: moves.get(path, path))
    assert pins.read() == ("b.md", "new.md")
    assert list(opened.read().items()) == [("new.md", 3), ("b.md", 1)]
    (file,) = (tmp_path / "opened").iterdir()
    for damaged in ("", "[]", '{"pages": 3}', '{"pages": [[1]]}', '{"pages": [["a", "x"]]}'):
        file.write_text(damaged)
        assert opened.read() == {}


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"pages": 3}', b'{"pages": [1, null]}'])
def test_a_damaged_file_is_no_pins(tmp_path: Path, content: bytes) -> None:
    pins = Pins(tmp_path, tmp_path)
    pins.toggle("a.md")
    (file,) = (tmp_path / "pins").iterdir()
    file.write_bytes(content)
    assert pins.read() == ()
    assert pins.toggle("b.md") == ("b.md",)


def test_there_is_a_most_of_pins(tmp_path: Path) -> None:
    pins = Pins(tmp_path, tmp_path)
    pins.toggle("first.md")
    (file,) = (tmp_path / "pins").iterdir()
    names = ", ".join(f'"{n}.md"' for n in range(3 * MOST_PINS))
    file.write_text(f'{{"pages": [{names}]}}')
    assert len(pins.read()) == MOST_PINS
    assert len(pins.toggle("new.md")) == MOST_PINS


def test_pins_that_cannot_be_kept_are_said_so(tmp_path: Path) -> None:
    (tmp_path / "pins").write_text("a file where a folder should be")
    with pytest.raises(VaultUnusable, match="could not be kept"):
        Pins(tmp_path, tmp_path).toggle("a.md")
