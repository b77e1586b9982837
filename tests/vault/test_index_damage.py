"""An index that is damaged while the wiki is open is told of once, and made anew."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from vault.errors import SearchUnavailable
from vault.index.index import index_file
from vault.recall.values import Wish
from vault.tools.read_only import ReadOnlyWiki
from vault.vault import Vault, open_vault

QUESTIONS: dict[str, Callable[[Vault], object]] = {
    "search": lambda vault: vault.search.find("petrel"),
    "recall": lambda vault: vault.recall.find(Wish("What is the boat Petrel?")),
    "counts": lambda vault: vault.index.counts(),
}


def damage(file: Path) -> None:
    """Have tables begin where the file has ended, which every open connection notices."""
    connection = apsw.Connection(str(file))
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("UPDATE sqlite_schema SET rootpage = 999999 WHERE name IN ('page', 'name')")
    version = connection.execute("PRAGMA schema_version").get
    connection.execute(f"PRAGMA schema_version = {version + 1}")
    connection.close()


@pytest.mark.parametrize("asked", QUESTIONS)
def test_a_question_to_a_damaged_index_is_a_sentence_and_the_next_is_answered(
    tmp_path: Path, asked: str
) -> None:
    vault = open_vault(tmp_path / "wiki", data_dir=tmp_path / "data")
    (vault.root / "articles" / "Petrel.md").write_text("The boat Petrel is green.\n")
    vault.index.refresh()
    before = QUESTIONS[asked](vault)
    damage(index_file(tmp_path / "data", vault.root))
    with pytest.raises(SearchUnavailable, match="cannot be searched"):
        QUESTIONS[asked](vault)
    assert QUESTIONS[asked](vault) == before
    vault.close()


def test_a_wiki_whose_index_has_no_place_is_told_of_in_a_sentence(tmp_path: Path) -> None:
    open_vault(tmp_path / "wiki", data_dir=tmp_path / "data").close()
    blocked = tmp_path / "blocked"
    blocked.write_text("a file")
    with pytest.raises(SearchUnavailable):
        ReadOnlyWiki(tmp_path / "wiki", blocked).opened()


def test_what_a_question_cannot_ask_is_told_too(tmp_path: Path) -> None:
    vault = open_vault(tmp_path / "wiki", data_dir=tmp_path / "data")
    with pytest.raises(SearchUnavailable) as raised, vault.index.reading() as connection:
        connection.execute("SELECT nothing FROM nowhere")
    assert isinstance(raised.value.__cause__, apsw.SQLError)
    assert not vault.index.is_damaged
    vault.close()
