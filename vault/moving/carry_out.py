"""Does what was planned: moves the files, writes the links, in one commit."""

import contextlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from vault import os_errors
from vault.article.splices import apply_edits
from vault.atomic import Replaced, replace_file, sync_folder
from vault.confined import opened_place, read_regular
from vault.errors import NotAllowed, PageChanged, SaveFailed, VaultError
from vault.files import MOST_EDITED_BYTES, ArticleFile
from vault.moving.change import MovePlan, PageEdit, SkippedPage
from vault.moving.relocate import check_can_move, relocate
from vault.names import displayable
from vault.text import encode


@dataclass(frozen=True, slots=True)
class EditedPage:
    """A page whose links were written anew."""

    path: str
    links: int


@dataclass(frozen=True, slots=True)
class Carried:
    """What was really done. `changes` is what the history has to learn, by real path."""

    moved: tuple[tuple[str, str], ...]
    deleted: tuple[str, ...]
    edited: tuple[EditedPage, ...]
    skipped: tuple[SkippedPage, ...]
    changes: Mapping[str, bytes | None]


def carry_out(root: Path, plan: MovePlan) -> Carried:
    """Do it. Nothing is done when a page changed since the plan or a name is taken.

    Raises PageChanged, ArticleExists, NotAllowed or SaveFailed. A page whose links cannot be
    written is skipped and reported.
    """
    for old, new in plan.change.moves.items():
        check_can_move(root, old, new)
    for file in (*plan.files, *(edit.file for edit in plan.edits)):
        _check_unchanged(root, file)
    changes: dict[str, bytes | None] = {}
    moved = _move_all(root, plan, changes)
    deleted = _delete_all(root, plan, changes)
    edited, skipped = write_edits(root, plan, changes)
    return Carried(moved, deleted, edited, skipped, changes)


def write_edits(
    root: Path, plan: MovePlan, changes: dict[str, bytes | None]
) -> tuple[tuple[EditedPage, ...], tuple[SkippedPage, ...]]:
    """Write the links anew, noting in `changes` what the pages hold then."""
    edited: list[EditedPage] = []
    skipped = list(plan.skipped)
    for edit in plan.edits:
        path = plan.change.path_after(edit.file.path)
        try:
            changes[_real_path(plan, edit.file)] = _write(root, path, edit)
        except PageChanged:
            skipped.append(SkippedPage(path, "it was changed meanwhile"))
        except (OSError, VaultError) as error:
            why = os_errors.reason(error) if isinstance(error, OSError) else str(error).rstrip(".")
            skipped.append(SkippedPage(path, why))
        else:
            edited.append(EditedPage(path, edit.links))
    sync_folders(root, (page.path for page in edited))
    return tuple(edited), tuple(skipped)


def _move_all(
    root: Path, plan: MovePlan, changes: dict[str, bytes | None]
) -> tuple[tuple[str, str], ...]:
    contents = {file.path: file.content for file in plan.files}
    done: list[tuple[str, str]] = []
    for old, new in plan.change.moves.items():
        try:
            relocate(root, old, new)
        except VaultError:
            for back, there in reversed(done):
                relocate(root, there, back)
            raise
        done.append((old, new))
    changes |= {old: None for old, _ in done}
    changes |= {new: contents[old] for old, new in done}
    return tuple(done)


def _delete_all(root: Path, plan: MovePlan, changes: dict[str, bytes | None]) -> tuple[str, ...]:
    contents = {file.path: file.content for file in plan.files}
    done: list[str] = []
    for path in sorted(plan.change.deletes):
        try:
            with opened_place(root, path) as place:
                if place.relative != path:
                    raise NotAllowed(
                        f"“{displayable(path)}” is a symbolic link; delete it by hand."
                    )
                if read_regular(place, MOST_EDITED_BYTES)[1] != contents[path]:
                    raise _changed(path)
                os.unlink(place.name, dir_fd=place.folder)
                sync_folder(place.folder)
        except OSError as error:
            raise SaveFailed(
                f"“{displayable(path)}” was not deleted: {os_errors.reason(error)}."
            ) from error
        changes[path] = None
        done.append(path)
    return tuple(done)


def _check_unchanged(root: Path, file: ArticleFile) -> None:
    try:
        with opened_place(root, file.path) as place:
            content = read_regular(place, MOST_EDITED_BYTES)[1]
    except OSError as error:
        raise _changed(file.path) from error
    if content != file.content:
        raise _changed(file.path)


def _write(root: Path, path: str, edit: PageEdit) -> bytes:
    file = edit.file
    assert file.text is not None  # only pages with text have edits
    text = apply_edits(file.text, edit.edits)
    content = encode(text, has_byte_order_mark=file.has_byte_order_mark)
    with opened_place(root, path) as place:
        status, _ = read_regular(place, MOST_EDITED_BYTES)
        replaced = replace_file(place, content, status, file.sha256, is_folder_synced=False)
        if replaced is not Replaced.DONE:
            raise _changed(path)
    return content


def sync_folders(root: Path, paths: Iterable[str]) -> None:
    """Make the names in the folders of these pages durable, each folder once."""
    one_of_each = {path.rpartition("/")[0]: path for path in paths}
    for path in one_of_each.values():
        with contextlib.suppress(OSError), opened_place(root, path) as place:
            sync_folder(place.folder)


def _real_path(plan: MovePlan, file: ArticleFile) -> str:
    return plan.change.moves.get(file.path, file.real_path)


def _changed(path: str) -> PageChanged:
    return PageChanged(f"“{displayable(path)}” was changed meanwhile; nothing was done. Try again.")
