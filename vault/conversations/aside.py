"""Sets a damaged file aside, under a name with the date, and puts what was saved in its place."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

import apsw

from vault.conversations.checking import kind_of
from vault.conversations.errors import StoreDamaged
from vault.conversations.salvage import count_saved, salvage
from vault.names import displayable

_BESIDES = ("-wal", "-shm", "-journal")


def replace_damaged(file: Path, problem: str) -> str:
    """Save what can be saved, set the damaged file aside, and say so."""
    saved = saved_name(file)
    # What a crash left half-way through this was saved before the log was moved.
    if not saved.exists():
        _save(file, saved, problem)
    chats, messages = count_saved(saved)
    aside = _set_aside(file)
    saved.rename(file)
    flush_folder(file.parent)
    return (
        f"The file of the chats was damaged ({problem}). {chats:,} chats with {messages:,}"
        " messages were saved out of it; the damaged file is kept as"
        f" {displayable(str(aside))}."
    )


def _save(file: Path, saved: Path, problem: str) -> None:
    building = file.with_name(f".{file.name}.saving")
    for suffix in ("", *_BESIDES):
        building.with_name(building.name + suffix).unlink(missing_ok=True)
    try:
        salvage(file, building)
    except apsw.Error as error:
        raise StoreDamaged(
            f"The file of the chats is damaged ({problem}), and it cannot be put right: {error}."
        ) from error
    building.rename(saved)


def saved_name(file: Path) -> Path:
    """Where what was saved is until it takes the place of the damaged file."""
    return file.with_name(f"{file.stem}.saved{file.suffix}")


def _set_aside(file: Path) -> Path:
    day = f"{datetime.now():%Y-%m-%dT%H-%M-%S}"
    name, number = f"{file.stem}.damaged-{day}", 1
    while file.with_name(f"{name}{file.suffix}").exists():
        number += 1
        name = f"{file.stem}.damaged-{day}-{number}"
    aside = file.with_name(f"{name}{file.suffix}")
    # The log first: what is left of a database means little without it.
    for suffix in ("-wal", "-journal", ""):
        part = file.with_name(file.name + suffix)
        if kind_of(part) is not None:
            part.rename(aside.with_name(aside.name + suffix))
    file.with_name(file.name + "-shm").unlink(missing_ok=True)
    return aside


def flush_folder(folder: Path) -> None:
    """Make new names in a folder last."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
