"""Putting the files of a commit into a Hugging Face cache as other programs expect them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from engine.models.hub_listing import Listing, RemoteFile


def has_file(repository: Path, commit: str, file: RemoteFile) -> bool:
    """Whether the file is in the cache already, in its full size."""
    places = (repository / "blobs" / file.digest, repository / "snapshots" / commit / file.name)
    return any(_size(place) == file.size for place in places)


def publish(repository: Path, listing: Listing, revision: str) -> Path:
    """Make the snapshot of links and the reference to it; both appear whole. Returns its folder."""
    snapshot = repository / "snapshots" / listing.commit
    if snapshot.is_dir():
        for file in listing.files:
            _link(repository / "blobs" / file.digest, snapshot / file.name)
    else:
        made = snapshot.with_name(f".{listing.commit}.zib")
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(parents=True)
        for file in listing.files:
            _link(repository / "blobs" / file.digest, made / file.name)
        made.rename(snapshot)
    if revision != listing.commit:
        _write_reference(repository / "refs" / revision, listing.commit)
    return snapshot


def _link(blob: Path, place: Path) -> None:
    if place.exists() and (not blob.exists() or place.samefile(blob)):
        return
    place.unlink(missing_ok=True)
    try:
        place.symlink_to(os.path.relpath(blob, place.parent))
    except OSError:
        # A disk that knows no links holds the file itself.
        blob.rename(place)


def _write_reference(reference: Path, commit: str) -> None:
    reference.parent.mkdir(parents=True, exist_ok=True)
    written = reference.with_name(f".{reference.name}.zib")
    written.write_text(commit)
    written.replace(reference)


def _size(place: Path) -> int:
    try:
        return place.stat().st_size
    except OSError:
        return -1
