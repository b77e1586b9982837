"""Getting one file of the hub: from where an earlier try ended, and checked to the last byte."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import httpx2
from huggingface_hub import get_session, get_token, hf_hub_url, hf_raise_for_status
from huggingface_hub.errors import HfHubHTTPError

from engine.errors import ModelUnavailable
from engine.models.hub_cache import PARTIAL_SUFFIX
from engine.models.hub_listing import RemoteFile

if TYPE_CHECKING:
    from hashlib import _Hash

CHUNK_BYTES = 1 << 20
PAUSES = (0.5, 1.0, 2.0, 4.0)
"""Seconds between tries that brought nothing; whatever arrives starts them anew."""

_READ_SECONDS = 30.0
_RETRIED_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})
_RANGE_NOT_SATISFIABLE = 416
_CONTENT_RANGE = re.compile(r"bytes (\d+)-")

Report = Callable[[int], None]


class WrongBytes(ModelUnavailable):
    """What arrived is not the file that was asked for."""


def partial_file(blobs: Path, file: RemoteFile) -> Path:
    """Where the part of a file lies; a name of our own, since other programs append to theirs."""
    return blobs / f"{file.digest}.zib{PARTIAL_SUFFIX}"


def fetch_file(repository: str, commit: str, file: RemoteFile, blobs: Path, report: Report) -> None:
    """Bring the file into `blobs` under its digest; `report` gets the bytes of it that are there.

    A file whose digest is wrong is fetched once more from its start. Raises WrongBytes then, and
    what `hub_refusal.FAILURES` lists.
    """
    partial = partial_file(blobs, file)
    url = hf_hub_url(repository, file.name, revision=commit)
    for is_last_try in (False, True):
        transfer = _Transfer(url, partial, file, report)
        transfer.run()
        if transfer.is_right:
            partial.rename(blobs / file.digest)
            return
        partial.unlink()
        if is_last_try:
            raise WrongBytes(
                f"{file.name} of {repository} arrived damaged twice, so it was thrown away. "
                "Try again; if it happens anew, something between you and the hub changes it."
            )


class _Transfer:
    """One file, over as many connections as it takes."""

    def __init__(self, url: str, partial: Path, file: RemoteFile, report: Report) -> None:
        self._url = url
        self._partial = partial
        self._file = file
        self._report = report
        self._digest: _Hash = _new_digest(file)
        self._done = 0

    @property
    def is_right(self) -> bool:
        """Whether all bytes are there and are the right ones."""
        return self._done == self._file.size and self._digest.hexdigest() == self._file.digest

    def run(self) -> None:
        """Fetch what is missing."""
        with self._partial.open("ab", buffering=0) as stream:
            self._take_up(stream)
            pauses = list(PAUSES)
            while self._done < self._file.size:
                before = self._done
                try:
                    self._connect(stream)
                except (httpx2.TransportError, HfHubHTTPError) as error:
                    if self._done > before:
                        pauses = list(PAUSES)
                    if not pauses or not _is_passing(error):
                        raise
                    time.sleep(pauses.pop(0))
            os.fsync(stream.fileno())

    def _take_up(self, stream: BinaryIO) -> None:
        """Go through what an earlier try left; more than the whole is nothing."""
        if os.fstat(stream.fileno()).st_size > self._file.size:
            self._start_over(stream)
        with self._partial.open("rb") as kept:
            while chunk := kept.read(CHUNK_BYTES):
                self._count(chunk)

    def _connect(self, stream: BinaryIO) -> None:
        headers = {"User-Agent": "zibaldone", "Accept-Encoding": "identity"}
        # The session takes the token off again when it is sent on to another host.
        if token := get_token():
            headers["Authorization"] = f"Bearer {token}"
        if self._done:
            headers["Range"] = f"bytes={self._done}-"
        with get_session().stream(
            "GET", self._url, headers=headers, timeout=_READ_SECONDS
        ) as response:
            if response.status_code == _RANGE_NOT_SATISFIABLE:
                self._start_over(stream)
                return
            hf_raise_for_status(response)
            if self._done and not _continues_at(response, self._done):
                self._start_over(stream)
            for chunk in response.iter_raw():
                # A server that sends more than the whole sends the wrong file.
                piece = chunk[: self._file.size - self._done + 1]
                stream.write(piece)
                self._count(piece)
                if self._done > self._file.size:
                    return
        if self._done < self._file.size:
            raise httpx2.RemoteProtocolError("the body ended early")

    def _start_over(self, stream: BinaryIO) -> None:
        stream.truncate(0)
        self._digest, self._done = _new_digest(self._file), 0
        self._report(0)

    def _count(self, piece: bytes) -> None:
        self._digest.update(piece)
        self._done += len(piece)
        self._report(min(self._done, self._file.size))


def _new_digest(file: RemoteFile) -> Any:
    if file.is_git_blob:
        # What git calls a file: not a protection, the name it is stored under.
        return hashlib.sha1(b"blob %d\0" % file.size, usedforsecurity=False)
    return hashlib.sha256()


def _continues_at(response: httpx2.Response, offset: int) -> bool:
    found = _CONTENT_RANGE.match(response.headers.get("Content-Range", ""))
    return response.status_code == 206 and found is not None and int(found[1]) == offset


def _is_passing(error: Exception) -> bool:
    if isinstance(error, HfHubHTTPError):
        return error.response.status_code in _RETRIED_STATUS
    return isinstance(error, httpx2.TransportError) and not isinstance(
        error, httpx2.UnsupportedProtocol | httpx2.ProxyError
    )
