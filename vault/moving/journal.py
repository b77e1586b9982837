"""Remembers a change of several pages while it is made, so that a crash leaves no half of it.

The file lies in the vault's top folder, hidden, from before the first step until after the last.
"""

import contextlib
import json
import os
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from vault import os_errors
from vault.article.splices import Edit
from vault.atomic import create_file, sync_folder
from vault.confined import opened_place, read_regular
from vault.errors import NotAllowed, SaveFailed, VaultError
from vault.files import read_article
from vault.moving.change import Change, MovePlan, PageEdit
from vault.moving.relocate import finish_respelling

JOURNAL_NAME = ".zib-moving.json"
_MOST_BYTES = 1 << 28
# A change takes seconds; by then its process is another one of the same number.
_LONGEST_SECONDS = 900


def write_journal(root: Path, plan: MovePlan) -> None:
    """Write down what is about to be done. Raises SaveFailed when another change is under way."""
    stored = {
        "process": os.getpid(),
        "moves": dict(plan.change.moves),
        "creates": sorted(plan.change.creates),
        "deletes": {file.path: file.sha256 for file in plan.files} if plan.change.deletes else {},
        "edits": [
            {
                "path": edit.file.path,
                "sha256": edit.file.sha256,
                "edits": [asdict(each) for each in edit.edits],
                "links": edit.links,
            }
            for edit in plan.edits
        ],
    }
    content = json.dumps(stored, ensure_ascii=True).encode()
    try:
        with opened_place(root, JOURNAL_NAME) as place:
            create_file(place, content, 0o600)
    except FileExistsError as error:
        raise SaveFailed(
            "Another zib is moving pages of this wiki; nothing was done. Try again when it has "
            "finished."
        ) from error
    except OSError as error:
        raise SaveFailed(
            f"Nothing was done: {JOURNAL_NAME} could not be written into the wiki's folder"
            f" ({os_errors.reason(error)})."
        ) from error


def clear_journal(root: Path) -> None:
    """The change is made, or was given up before anything was done."""
    with opened_place(root, JOURNAL_NAME) as place, contextlib.suppress(FileNotFoundError):
        os.unlink(place.name, dir_fd=place.folder)
        sync_folder(place.folder)


def read_interrupted(root: Path) -> MovePlan | None:
    """Return what is left of a change that its process did not live to finish.

    Steps that were taken, and pages that changed since, are left out. None when there is no such
    change, or its process still runs.
    """
    try:
        with opened_place(root, JOURNAL_NAME) as place:
            status, content = read_regular(place, _MOST_BYTES)
        stored = json.loads(content)
        is_recent = abs(time.time() - status.st_mtime) < _LONGEST_SECONDS
        if is_recent and _is_running(int(stored["process"])):
            return None
        return _remaining(root, stored)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SaveFailed(
            f"A move that was cut short could not be finished: {os_errors.reason(error)}."
        ) from error
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        OverflowError,
        RecursionError,
        NotAllowed,
    ):
        # It is none of ours: one of ours is there whole or not at all.
        clear_journal(root)
        return None


def _remaining(root: Path, stored: dict[str, Any]) -> MovePlan:
    for old, new in stored["moves"].items():
        if not _is_there(root, old) and not _is_there(root, new):
            finish_respelling(root, old, new)
    moves = {
        str(old): str(new)
        for old, new in stored["moves"].items()
        if _is_there(root, old) and not _is_there(root, new)
    }
    files = [read_article(root, old) for old in moves]
    deletes: set[str] = set()
    for path, sha256 in stored["deletes"].items():
        with contextlib.suppress(VaultError):
            file = read_article(root, path)
            if file.sha256 == sha256:
                deletes.add(path)
                files.append(file)
    done = {str(old): str(new) for old, new in stored["moves"].items() if old not in moves}
    edits: list[PageEdit] = []
    is_begun = all(_is_there(root, path) for path in stored.get("creates", ()))
    for each in stored["edits"] if is_begun else ():
        with contextlib.suppress(VaultError):
            file = read_article(root, done.get(each["path"], each["path"]))
            if file.sha256 == each["sha256"]:
                changes = tuple(_read_edit(edit) for edit in each["edits"])
                edits.append(PageEdit(file, changes, int(each["links"])))
    return MovePlan(Change(moves, frozenset(deletes)), tuple(files), tuple(edits), ())


def _read_edit(stored: dict[str, Any]) -> Edit:
    return Edit(int(stored["start"]), int(stored["end"]), str(stored["replacement"]))


def _is_there(root: Path, path: str) -> bool:
    try:
        with opened_place(root, path) as place:
            os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _is_running(process: int) -> bool:
    if process == os.getpid():
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
