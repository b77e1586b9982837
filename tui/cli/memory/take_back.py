"""`zib memory restore|undo|rollback`: make pages what they were, as a new commit."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tui.cli.memory.change import tell_written
from tui.cli.memory.opened import EXIT_FAILED, with_vault
from tui.cli.memory.past import page_once_called
from tui.cli.memory.printed import commit_told, pages_told, print_json, say, tell_pages
from tui.cli.run import print_error
from vault.history.commit import Committed
from vault.history.history import CannotUndo, Undone
from vault.names import displayable
from vault.vault import Vault

Flags = Mapping[str, object]


def run_restore(flags: Flags, name: str, version: str, section: str, is_json: bool) -> int:
    """Make a page, or a section of it, what it was."""

    def restore(vault: Vault) -> int:
        path = page_once_called(vault, name)
        revision = vault.history.find(path, version)
        written = vault.history.restore(path, revision, section)
        return tell_written(written, is_json, recreated="it is back")

    return with_vault(flags, restore)


def run_undo(flags: Flags, commit: str, is_json: bool) -> int:
    """Take back what one commit did."""
    return _run(flags, lambda vault: vault.history.undo(commit), is_json)


def run_rollback(flags: Flags, run: str, is_json: bool) -> int:
    """Take back everything one run did; a number means a run of the synthesis."""
    name = f"synthesis run {int(run)}" if run.isascii() and run.isdigit() else run
    return _run(flags, lambda vault: vault.history.rollback(name), is_json)


def _run(flags: Flags, take_back: Callable[[Vault], Undone], is_json: bool) -> int:
    def act(vault: Vault) -> int:
        try:
            undone = take_back(vault)
        except CannotUndo as refused:
            return _tell_refused(refused, is_json)
        if is_json:
            told = {
                "undone": list(undone.commits),
                "paths": [displayable(path) for path in undone.paths],
                "clashes": [],
                **pages_told(undone.relinked, undone.skipped),
            }
            print_json({**told, **commit_told(undone.commit)})
        else:
            for path in undone.paths:
                say(f"{displayable(path)} is taken back.")
            tell_pages(undone.relinked, undone.skipped)
            if not undone.paths:
                say("Nothing of it is left to take back.")
            elif not isinstance(undone.commit, Committed):
                print_error(undone.commit.message)
        return 0

    return with_vault(flags, act)


def _tell_refused(refused: CannotUndo, is_json: bool) -> int:
    clashes = [
        {"path": displayable(clash.path), "commit": clash.commit, "reason": clash.reason}
        for clash in refused.clashes
    ]
    if is_json:
        print_json({"undone": [], "paths": [], "clashes": clashes})
    print_error("Nothing was taken back:")
    for clash in clashes:
        print_error(f"{clash['path']} in {clash['commit'][:8]}: {clash['reason']}")
    return EXIT_FAILED
