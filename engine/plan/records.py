"""What this machine really did with each model: speeds, KV bytes, predicted and measured peaks.

One small file a key, written by any number of processes at once.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout
from msgspec.structs import replace

from engine.plan.record_key import RecordKey, file_name
from engine.plan.run_record import (
    SCHEMA_VERSION,
    PeakFact,
    ProbeFacts,
    Record,
    RunFacts,
    is_believable,
    with_run,
)

__all__ = ["PeakFact", "ProbeFacts", "Record", "RecordKey", "Records", "RunFacts"]

_MAX_FILE_BYTES = 64 * 1024
_LOCK_SECONDS = 1.0
"""Writing a record takes a thousandth of this; an answer must not wait for a program that hangs."""
_LOCK_NAME = ".lock"


class _Damaged(ValueError):
    """Why a file is not a record."""


class Records:
    """The records in a folder, made when the first is written.

    Nothing here raises: what cannot be read or written goes to `report` as a sentence.
    """

    def __init__(self, folder: Path, report: Callable[[str], None] | None = None) -> None:
        self._folder = folder
        self._report = report or logging.getLogger(__name__).warning

    def find(self, key: RecordKey) -> Record | None:
        """What is known of the key; None when nothing is."""
        try:
            return self._read(key)
        except _Damaged:
            # Read again under the lock: the file may just have been replaced by a good one.
            return self._update(key, lambda record: None)
        except (OSError, UnicodeEncodeError) as error:
            self._report(f"The records of past runs in {self._folder} cannot be read: {error}.")
            return None

    def note_run(self, key: RecordKey, facts: RunFacts) -> Record | None:
        """Add one answer; returns the new record, None when it was not believable or not kept."""
        if not is_believable(facts):
            return None
        return self._update(key, lambda record: with_run(record, facts))

    def note_probe(self, key: RecordKey, facts: ProbeFacts) -> Record | None:
        """Keep the newest probe; returns the new record as `note_run` does."""
        if not is_believable(facts):
            return None
        return self._update(key, lambda record: replace(record, probe=facts))

    def _update(self, key: RecordKey, change: Callable[[Record], Record | None]) -> Record | None:
        """Read, change and write under the folder's lock; no change writes nothing."""
        try:
            with self._locked():
                known = self._read_or_set_aside(key)
                changed = change(known or Record(key))
                if changed is None:
                    return known
                self._write(changed)
                return changed
        except (OSError, NotImplementedError, Timeout, UnicodeEncodeError) as error:
            self._report(f"The record of past runs in {self._folder} cannot be kept: {error}.")
            return None

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with FileLock(self._folder / _LOCK_NAME, timeout=_LOCK_SECONDS):
            yield

    def _read_or_set_aside(self, key: RecordKey) -> Record | None:
        try:
            return self._read(key)
        except _Damaged as damage:
            file = self._folder / file_name(key)
            aside = file.with_suffix(".damaged")
            file.replace(aside)
            self._report(
                f"The record of past runs {file} is damaged ({damage}). It was set aside as"
                f" {aside.name}, and speeds are measured anew."
            )
            return None

    def _read(self, key: RecordKey) -> Record | None:
        try:
            with (self._folder / file_name(key)).open("rb") as stream:
                content = stream.read(_MAX_FILE_BYTES + 1)
        except FileNotFoundError:
            return None
        if len(content) > _MAX_FILE_BYTES:
            raise _Damaged("it is larger than any record")
        try:
            record = msgspec.json.decode(content, type=Record)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise _Damaged(str(error)) from error
        if record.key != key or record.schema_version != SCHEMA_VERSION:
            raise _Damaged("it belongs to another model or version")
        return record

    def _write(self, record: Record) -> None:
        file = self._folder / file_name(record.key)
        temporary = self._folder / f".{file.name}.{os.getpid()}"
        temporary.write_bytes(msgspec.json.encode(record))
        temporary.replace(file)
