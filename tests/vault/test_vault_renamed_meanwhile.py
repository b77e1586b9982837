"""A page that another program renamed while it was edited is found again by what is in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from vault.standing import IsGone, standing_of
from vault.vault import open_vault

LENS = "# Lens\n\none\n\ntwo\n\nthree\n\nfour\n"


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ({"Glass": LENS}, "articles/Glass.md"),
        ({"Glass": LENS + "\nfive\n"}, "articles/Glass.md"),
        ({"Glass": LENS.replace("# Lens", "# Glass").replace("two", "2")}, "articles/Glass.md"),
        ({"Glass": "# Glass\n\none\n\nsomething else\n\nand more\n\nof it\n"}, None),
        ({"Glass": LENS + "\nfive\n", "Copy": LENS + "\nsix\n"}, None),
        ({}, None),
    ],
    ids=["renamed", "changed at the end", "changed inside", "another page", "two", "gone"],
)
def test_it_is_found_again(tmp_path: Path, now: dict[str, str], expected: str | None) -> None:
    vault = open_vault(tmp_path / "wiki")
    page = tmp_path / "wiki/articles/Lens.md"
    page.write_text(LENS)
    base = vault.read("articles/Lens.md")
    page.unlink()
    for name, text in now.items():
        (tmp_path / f"wiki/articles/{name}.md").write_text(text)
    assert standing_of(vault, LENS + "mine", base) == IsGone(expected)
    vault.close()
