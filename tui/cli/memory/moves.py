"""`zib memory rename|move|delete`: pages change their place and every link follows."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import click

from tui.cli.memory.opened import EXIT_FAILED, opened, page_called, with_vault, with_wiring
from tui.cli.memory.printed import commit_told, counted, pages_told, print_json, say, tell_pages
from tui.cli.run import EXIT_USAGE, print_error
from tui.text.line import to_line
from tui.wiring import Wiring
from vault.moving.carry_out import EditedPage
from vault.moving.change import MovePlan, SkippedPage
from vault.moving.moved import Moved
from vault.names import displayable
from vault.vault import Vault

Flags = Mapping[str, object]


def run_rename(flags: Flags, name: str, title: str, is_dry: bool, is_json: bool) -> int:
    """Give a page another title; every link to it follows."""
    return _run_plan(
        flags,
        lambda vault: vault.moves.plan_rename(page_called(vault, name), title),
        is_dry,
        is_json,
    )


def run_move(flags: Flags, name: str, folder: str, is_dry: bool, is_json: bool) -> int:
    """Put a page into another folder; every link to it follows, and its own links too."""

    def plan(vault: Vault) -> MovePlan:
        path = page_called(vault, name)
        into = folder.strip("/")
        file_name = path.rpartition("/")[2]
        return vault.moves.plan_move(path, f"{into}/{file_name}" if into else file_name)

    return _run_plan(flags, plan, is_dry, is_json)


def run_delete(flags: Flags, name: str, is_sure: bool, is_dry: bool, is_json: bool) -> int:
    """Delete a page; the history or the trash keeps it."""

    def delete(wiring: Wiring) -> int:
        vault = opened(wiring)
        path = page_called(vault, name)
        if not is_sure and not is_dry:
            if not sys.stdin.isatty():
                print_error("Nothing was deleted: without a terminal to ask on, give --yes.")
                return EXIT_USAGE
            links = len(vault.backlinks(path))
            if not click.confirm(
                f"Delete {to_line(displayable(path))} ({links} links lead to it)?", err=True
            ):
                return EXIT_FAILED
        return _carry_out(vault, vault.moves.plan_delete(path), is_dry, is_json)

    return with_wiring(flags, delete)


def _run_plan(flags: Flags, make: Callable[[Vault], MovePlan], is_dry: bool, is_json: bool) -> int:
    return with_vault(flags, lambda vault: _carry_out(vault, make(vault), is_dry, is_json))


def _carry_out(vault: Vault, plan: MovePlan, is_dry: bool, is_json: bool) -> int:
    if is_dry:
        _tell_plan(plan, is_json)
        return 0
    moved = vault.moves.carry_out(plan)
    _tell_moved(moved, is_json)
    return EXIT_FAILED if moved.carried.skipped else 0


def _tell_plan(plan: MovePlan, is_json: bool) -> None:
    edited = [EditedPage(plan.change.path_after(edit.file.path), edit.links) for edit in plan.edits]
    moves = tuple(plan.change.moves.items())
    if is_json:
        print_json(_told(moves, sorted(plan.change.deletes), edited, plan.skipped))
        return
    for old, new in moves:
        say(f"would move {displayable(old)} to {displayable(new)}")
    for path in sorted(plan.change.deletes):
        say(f"would delete {displayable(path)}")
    for page in edited:
        if page.links:
            say(f"would write {counted(page.links, 'link')} anew in {displayable(page.path)}")
    for left in plan.skipped:
        say(f"would leave {displayable(left.path)}: {left.reason}")


def _tell_moved(moved: Moved, is_json: bool) -> None:
    carried = moved.carried
    if is_json:
        told = _told(carried.moved, carried.deleted, carried.edited, carried.skipped)
        print_json({**told, "kept_in": moved.kept_in, **commit_told(moved.commit)})
        return
    for old, new in carried.moved:
        say(f"{displayable(old)} is {displayable(new)} now.")
    for path in carried.deleted:
        kept = f"in {moved.kept_in}" if moved.kept_in else "in the history"
        say(f"{displayable(path)} is deleted and kept {kept}.")
    tell_pages(carried.edited, carried.skipped)


def _told(
    moves: Iterable[tuple[str, str]],
    deletes: Iterable[str],
    edited: Iterable[EditedPage],
    skipped: Iterable[SkippedPage],
) -> dict[str, Any]:
    return {
        "moved": [[displayable(old), displayable(new)] for old, new in moves],
        "deleted": [displayable(path) for path in deletes],
        **pages_told(edited, skipped),
    }
