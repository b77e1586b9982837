"""A scope means the same pages to a search, to recall and to the memory tools."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from vault.tools.budget import Budget
from vault.tools.memory_tools import MemoryTools
from vault.vault import Vault, open_vault

PAGES = {
    "Projects/Boat": "---\ntags: [water]\n---\nThe Projects of spring: paint the hull.\n",
    "Projects/Shed": "Paint the door.\n",
    "Diary": "---\ntags: [private]\n---\nPaint and Projects.\n",
}
SCOPES = {
    "tag:water": {"Projects/Boat"},
    "-tag:private": {"Projects/Boat", "Projects/Shed"},
    "Projects": {"Projects/Boat", "Projects/Shed"},
    "path:Projects/ -tag:water": {"Projects/Shed"},
    "#typo": set(),
    'tag:"water': {"Projects/Boat"},
    "": set(PAGES),
}


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    folder = tmp_path_factory.mktemp("within")
    vault = open_vault(folder / "wiki", data_dir=folder / "data")
    for name, text in PAGES.items():
        file = vault.root / "articles" / f"{name}.md"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    for number in range(520):
        (vault.root / "articles" / "Projects" / f"Old {number}.md").write_text("Kept.\n")
    yield vault
    vault.close()


def own(paths: frozenset[str] | set[str]) -> set[str]:
    return {name for name in PAGES if f"articles/{name}.md" in paths}


@pytest.mark.parametrize("scope", SCOPES)
def test_a_scope_holds_its_pages_and_no_others(vault: Vault, scope: str) -> None:
    wanted = SCOPES[scope]
    assert own(vault.search.paths_within(scope)) == wanted
    assert own({hit.path for hit in vault.search.find("paint", within=scope).hits}) == wanted
    tools = MemoryTools(lambda: vault, Budget())
    for name in PAGES:
        answer = tools.answer("memory_read", {"page": f"articles/{name}.md"}, scope)
        assert answer.is_error == (name not in wanted), answer.text


def test_the_query_of_a_model_cannot_leave_its_scope(vault: Vault) -> None:
    for query in ('paint" OR path:Diary', "tag:private", 'path:"articles/Diary'):
        found = vault.search.find(query, within="-tag:private")
        assert "Diary" not in own({hit.path for hit in found.hits})


def test_a_scope_of_very_many_pages_holds_all(vault: Vault) -> None:
    assert len(vault.search.paths_within("path:Projects/")) == 522
