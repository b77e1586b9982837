"""Remembers a change of several pages while it is made, so that a crash leaves no half of it.

The file lies in the vault's top folder, hidden, from before the first step until after the last.
"""

import contextlib
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vault import os_errors
from vault.atomic import create_file, sync_folder
from vault.confined import opened_place, read_regular
from vault.errors import NotAllowed, SaveFailed
from vault.moving.change import MovePlan
from vault.moving.records import Record, read_record
from vault.moving.replacement import Replacement

JOURNAL_NAME = ".zib-moving.json"
_MOST_BYTES = 1 << 28
# A change takes seconds; by then its process is another one of the same number.
_LONGEST_SECONDS = 900


def write_journal(root: Path, record: Record) -> None:
    """Write down what is about to be done. Raises SaveFailed when another change is under way."""
    stored = {"process": os.getpid(), **record}
    content = json.dumps(stored, ensure_ascii=True).encode()
    try:
        with opened_place(root, JOURNAL_NAME) as place:
            create_file(place, content, 0o600)
    except FileExistsError as error:
        raise SaveFailed(
            "Another zib is changing several pages of this wiki; nothing was done. Try again when"
            " it has finished."
        ) from error
    except OSError as error:
        raise SaveFailed(
            f"Nothing was done: {JOURNAL_NAME} could not be written into the wiki's folder"
            f" ({os_errors.reason(error)})."
        ) from error


def clear_journal(root: Path) -> None:
    """The change is made, or was given up before anything was done. Raises SaveFailed."""
    try:
        with opened_place(root, JOURNAL_NAME) as place, contextlib.suppress(FileNotFoundError):
            os.unlink(place.name, dir_fd=place.folder)
            sync_folder(place.folder)
    except OSError as error:
        raise SaveFailed(
            f"{JOURNAL_NAME} could not be removed from the wiki's folder:"
            f" {os_errors.reason(error)}."
        ) from error


def read_interrupted(root: Path) -> MovePlan | Replacement | None:
    """Return what is left of a change that its process did not live to finish.

    Steps that were taken, and pages that changed since, are left out. None when there is no such
    change, or its process still runs.
    """
    try:
        with opened_place(root, JOURNAL_NAME) as place:
            status, content = read_regular(place, _MOST_BYTES)
        stored: Mapping[str, Any] = json.loads(content)
        is_recent = abs(time.time() - status.st_mtime) < _LONGEST_SECONDS
        if is_recent and _is_running(int(stored["process"])):
            return None
        return read_record(root, stored)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SaveFailed(
            f"A change that was cut short could not be finished: {os_errors.reason(error)}."
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
