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
from vault.names import displayable


def put_pages(
    root: Path, found: Mapping[str, bytes | None], changes: Mapping[str, bytes | None]
) -> dict[str, str]:
    """Make the pages what `changes` says; None is no page. All of them, or none.

    Returns the path of each with symbolic links within the wiki followed. Raises PageChanged
    when one is no longer what was `found`, SaveFailed, NotAllowed.
    """
    done: dict[str, str] = {}
    try:
        for path, content in changes.items():
            done[path] = _put(root, path, found.get(path), content)
    except VaultError:
        for path in reversed(done):
            with contextlib.suppress(VaultError):
                _put(root, path, changes[path], found.get(path))
        raise
    return done


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
            elif replace_file(place, new, status, digest(old)) is Replaced.CHANGED_MEANWHILE:
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
