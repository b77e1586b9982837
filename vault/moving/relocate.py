"""Moves one file within the vault, never over another, also when only its spelling changes."""

import contextlib
import os
import secrets
from pathlib import Path

from vault import os_errors
from vault.atomic import sync_folder
from vault.confined import Place, is_spelt_so, opened_place
from vault.errors import ArticleExists, NotAllowed, SaveFailed
from vault.exchange import move_without_replacing, rename_without_replacing
from vault.names import check_note_path, displayable, identity_key

_BETWEEN = ".moving~"


def finish_respelling(root: Path, old_path: str, new_path: str) -> None:
    """Give a file that is under neither name, cut short on its way, the new one."""
    with contextlib.suppress(FileNotFoundError), opened_place(root, old_path) as source:
        name = new_path.rpartition("/")[2]
        for between in os.listdir(source.folder):  # noqa: PTH208 - a descriptor, not a path
            is_it = between.startswith(f".{name}.") and between.endswith(_BETWEEN)
            if is_it and not rename_without_replacing(source.folder, between, name):
                os.rename(between, name, src_dir_fd=source.folder, dst_dir_fd=source.folder)


def relocate(root: Path, old_path: str, new_path: str) -> None:
    """Move it, making folders. Raises ArticleExists for a name that is taken, SaveFailed."""
    check_note_path(new_path)
    try:
        with (
            opened_place(root, old_path) as source,
            opened_place(root, new_path, make_folders=True) as target,
        ):
            _check_is_free(source, target)
            _move(source, target)
            sync_folder(target.folder)
            sync_folder(source.folder)
    except FileExistsError as error:
        raise _taken(new_path) from error
    except OSError as error:
        raise SaveFailed(
            f"“{displayable(old_path)}” was not moved: {os_errors.reason(error)}."
        ) from error


def check_can_move(root: Path, old_path: str, new_path: str) -> None:
    """Raise what `relocate` would for a name that is taken or a link that leads elsewhere."""
    check_note_path(new_path)
    try:
        with opened_place(root, old_path) as source:
            if source.relative != old_path:
                raise NotAllowed(
                    f"“{displayable(old_path)}” is a symbolic link; move what it leads to, "
                    f"“{displayable(source.relative)}”."
                )
            try:
                with opened_place(root, new_path) as target:
                    _check_is_free(source, target)
            except FileNotFoundError:
                return
    except OSError as error:
        raise SaveFailed(
            f"“{displayable(old_path)}” cannot be moved: {os_errors.reason(error)}."
        ) from error


def _check_is_free(source: Place, target: Place) -> None:
    key = identity_key(target.name)
    for name in os.listdir(target.folder):  # noqa: PTH208 - a descriptor, not a path
        is_source = name == source.name and _is_same_folder(source, target)
        if identity_key(name) == key and not is_source:
            raise _taken(name)


def _move(source: Place, target: Place) -> None:
    if _is_same_file(source, target):
        # The disk takes both spellings for one: a rename from one to the other may do nothing. The
        # name between is none that is cleaned up.
        between = f".{target.name}.{secrets.token_hex(3)}{_BETWEEN}"
        os.rename(source.name, between, src_dir_fd=source.folder, dst_dir_fd=source.folder)
        os.rename(between, target.name, src_dir_fd=source.folder, dst_dir_fd=target.folder)
        return
    move_without_replacing(source.folder, source.name, target.name, target.folder)


def _is_same_file(source: Place, target: Place) -> bool:
    try:
        there = os.stat(target.name, dir_fd=target.folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    here = os.stat(source.name, dir_fd=source.folder, follow_symlinks=False)
    # Some disks number a file anew for each spelling of its name; the folder has one of them.
    return os.path.samestat(here, there) or (
        _is_same_folder(source, target)
        and identity_key(source.name) == identity_key(target.name)
        and not is_spelt_so(target)
    )


def _is_same_folder(source: Place, target: Place) -> bool:
    return os.path.samestat(os.fstat(source.folder), os.fstat(target.folder))


def _taken(name: str) -> ArticleExists:
    return ArticleExists(f"There is already an article “{displayable(name)}”; nothing was moved.")
