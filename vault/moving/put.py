"""Writes several pages at once, each only over the content it was worked out from."""

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path

from vault import os_errors
from vault.atomic import Replaced, create_file, digest, replace_file, sync_folder
from vault.confined import opened_place, read_regular
from vault.errors import PageChanged, SaveFailed, VaultError
from vault.files import MOST_EDITED_BYTES
from vault.moving.carry_out import sync_folders
from vault.moving.relocate import relocate
from vault.names import displayable, identity_key


def put_pages(
    root: Path, found: Mapping[str, bytes | None], changes: Mapping[str, bytes | None]
) -> dict[str, str]:
    """Make the pages what `changes` says; None is no page. All of them, or none.

    Returns the path of each with symbolic links within the wiki followed. Raises PageChanged
    when one is no longer what was `found`, SaveFailed, NotAllowed.
    """
    done: dict[str, str] = {}
    moved: dict[str, str] = {}
    try:
        for gone, come in respellings(changes).items():
            if found.get(gone) is None:
                continue
            relocate(root, gone, come)
            moved[gone] = come
            done[come] = _put(root, come, found[gone], changes[come])
        for path, content in changes.items():
            if path not in moved and path not in done:
                done[path] = _put(root, path, found.get(path), content)
    except VaultError:
        _take_back(root, found, changes, done, moved)
        raise
    sync_folders(root, done.values())
    return done | {gone: gone for gone in moved}


def respellings(changes: Mapping[str, bytes | None]) -> dict[str, str]:
    """The names that go where one comes that a disk may take for the same: `a.md` and `A.md`."""
    come = {identity_key(path): path for path, content in changes.items() if content is not None}
    return {
        path: come[identity_key(path)]
        for path, content in changes.items()
        if content is None and identity_key(path) in come
    }


def _take_back(
    root: Path,
    found: Mapping[str, bytes | None],
    changes: Mapping[str, bytes | None],
    done: Mapping[str, str],
    moved: Mapping[str, str],
) -> None:
    origins = {come: gone for gone, come in moved.items()}
    for path in reversed(list(done)):
        with contextlib.suppress(VaultError):
            _put(root, path, changes[path], found.get(origins.get(path, path)))
    for gone, come in moved.items():
        with contextlib.suppress(VaultError):
            relocate(root, come, gone)


def _put(root: Path, path: str, old: bytes | None, new: bytes | None) -> str:
    try:
        with opened_place(root, path, make_folders=new is not None) as place:
            if old is None:
                if new is not None:
                    create_file(place, new)
                return place.relative
            status, content = read_regular(place, MOST_EDITED_BYTES)
            if content != old:
                raise _changed(path)
            if new is None:
                os.unlink(place.name, dir_fd=place.folder)
                sync_folder(place.folder)
                return place.relative
            replaced = replace_file(place, new, status, digest(old), is_folder_synced=False)
            if replaced is Replaced.CHANGED_MEANWHILE:
                raise _changed(path)
            return place.relative
    except (FileExistsError, FileNotFoundError) as error:
        raise _changed(path) from error
    except OSError as error:
        raise SaveFailed(
            f"“{displayable(path)}” was not written: {os_errors.reason(error)}."
        ) from error


def _changed(path: str) -> PageChanged:
    return PageChanged(f"“{displayable(path)}” was changed meanwhile; nothing was done. Try again.")
