"""The note a conversion leaves in the model folder it made."""

from pathlib import Path

import msgspec

MANIFEST_NAME = "zibaldone.json"
CONVERTER_VERSION = 3


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """Where a converted model came from; `files` are sizes in bytes by file name."""

    name: str
    licence: str
    source_sha256: str
    converter_version: int
    files: dict[str, int]


def write_manifest(folder: Path, manifest: Manifest) -> Path:
    """Write the manifest into `folder` and return its path."""
    path = folder / MANIFEST_NAME
    path.write_bytes(msgspec.json.format(msgspec.json.encode(manifest)))
    return path


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest in `folder`, or None when no conversion made that folder."""
    try:
        return msgspec.json.decode((folder / MANIFEST_NAME).read_bytes(), type=Manifest)
    except (OSError, ValueError):
        return None


def is_whole(folder: Path, manifest: Manifest) -> bool:
    """Whether every file the manifest names is there in its full size."""
    try:
        sizes = {name: (folder / name).stat().st_size for name in manifest.files}
    except OSError:
        return False
    return sizes == manifest.files
