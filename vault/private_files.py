"""Small files of the data folder that only the user may read, written whole or not at all."""

from pathlib import Path

from vault.atomic import Replaced, create_file, digest, replace_file
from vault.confined import Place, opened_place, read_regular

MOST_BYTES = 64_000_000


def write_private(folder: Path, name: str, content: bytes) -> None:
    """Make the file `name` hold `content`, whoever wrote it before. Raises OSError."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with opened_place(folder, name) as place:
        while not _written(place, content):
            pass


def replace_private(folder: Path, name: str, content: bytes, expected: bytes) -> bool:
    """Replace a file that still holds `expected`; whether it did. Raises OSError."""
    with opened_place(folder, name) as place:
        status, _ = read_regular(place, MOST_BYTES)
        return replace_file(place, content, status, digest(expected)) is Replaced.DONE


def read_private(folder: Path, name: str, most: int = MOST_BYTES) -> bytes:
    """Return what a file holds. Raises OSError, FileNotFoundError among them."""
    with opened_place(folder, name) as place:
        return read_regular(place, most)[1]


def _written(place: Place, content: bytes) -> bool:
    try:
        status, old = read_regular(place, MOST_BYTES)
    except FileNotFoundError:
        try:
            create_file(place, content, 0o600)
        except FileExistsError:
            return False
        return True
    return replace_file(place, content, status, digest(old)) is Replaced.DONE
