"""Finds the page a user means among those that are there and those that were."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from tui.cli.memory.opened import page_called
from vault.errors import NotAllowed, VaultError
from vault.history.gone import find_deleted
from vault.names import check_note_path, stem_for
from vault.setup import ARTICLES
from vault.vault import Vault


def page_once_called(vault: Vault, name: str) -> str:
    """The path of a page; of one that is gone when the history has it. Raises VaultError."""
    try:
        return page_called(vault, name)
    except VaultError:
        for path in _guesses(vault, name.strip()):
            with contextlib.suppress(VaultError):
                if vault.history.log(path, 1):
                    return path
        raise


def _guesses(vault: Vault, name: str) -> Iterator[str]:
    """Its path, else what was deleted under that name last, else where it would have been made."""
    yield from filter(_is_path, (name, f"{name}.md"))
    with contextlib.suppress(VaultError):
        deleted = find_deleted(vault.home, name)
        if deleted is not None:
            yield deleted
    if vault.is_ours:
        with contextlib.suppress(NotAllowed):
            yield f"{ARTICLES}/{stem_for(name)}.md"


def _is_path(path: str) -> bool:
    try:
        check_note_path(path)
    except NotAllowed:
        return False
    return True
