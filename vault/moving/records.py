"""What the journal holds of a change, and what is left to do of it after a crash."""

import base64
import contextlib
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from vault.article.splices import Edit
from vault.atomic import digest
from vault.confined import is_spelt_so, opened_place
from vault.errors import VaultError
from vault.files import read_article
from vault.moving.change import Change, MovePlan, PageEdit
from vault.moving.put import respellings
from vault.moving.relocate import finish_respelling
from vault.moving.replacement import Replacement

Record = Mapping[str, Any]


def record_of_move(plan: MovePlan) -> Record:
    """What to remember of a rename, move or deletion."""
    return {
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


def record_of_replacement(asked: Replacement) -> Record:
    """What to remember of pages that become what is given."""
    return {
        "writes": [
            {
                "path": path,
                "sha256": None if (old := asked.found.get(path)) is None else digest(old),
                "content": None if new is None else base64.b64encode(new).decode(),
            }
            for path, new in asked.changes.items()
        ]
    }


def read_record(root: Path, stored: Record) -> MovePlan | Replacement:
    """Return what is left to do. Raises what a damaged record makes the reading raise, OSError."""
    return _remaining_writes(root, stored) if "writes" in stored else _remaining_move(root, stored)


def _remaining_writes(root: Path, stored: Record) -> Replacement:
    befores = {str(each["path"]): each["sha256"] for each in stored["writes"]}
    wanted = {
        str(each["path"]): None
        if each["content"] is None
        else base64.b64decode(each["content"], validate=True)
        for each in stored["writes"]
    }
    for gone, come in respellings(wanted).items():
        if not _is_there(root, gone):
            if not _is_there(root, come):
                finish_respelling(root, gone, come)
            # It has its new name already, and perhaps its older text still.
            befores[come] = befores[gone]
    found = {path: _content(root, path) for path in wanted}
    remaining = {
        path: content
        for path, content in wanted.items()
        if befores[path] == (None if (now := found[path]) is None else digest(now))
    }
    return Replacement({path: found[path] for path in remaining}, remaining)


def _content(root: Path, path: str) -> bytes | None:
    return read_article(root, path).content if _is_there(root, path) else None


def _remaining_move(root: Path, stored: Record) -> MovePlan:
    for old, new in stored["moves"].items():
        if not _is_there(root, old) and not _is_there(root, new):
            finish_respelling(root, old, new)
        elif _is_there(root, old):
            _remove_reservation(root, new)
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


def _read_edit(stored: Record) -> Edit:
    return Edit(int(stored["start"]), int(stored["end"]), str(stored["replacement"]))


def _remove_reservation(root: Path, path: str) -> None:
    """Remove the empty file that took the name of a page about to be moved."""
    if _is_there(root, path):
        with opened_place(root, path) as place:
            if not os.stat(place.name, dir_fd=place.folder, follow_symlinks=False).st_size:
                os.unlink(place.name, dir_fd=place.folder)


def _is_there(root: Path, path: str) -> bool:
    try:
        with opened_place(root, path) as place:
            return is_spelt_so(place)
    except (FileNotFoundError, NotADirectoryError):
        return False
