"""The file that marks a folder as a wiki of ours, and remembers what set-up has done there.

Without it a folder is someone else's: nothing is added to it and nothing is committed in it.
"""

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from vault.atomic import create_file, digest, replace_file
from vault.confined import opened_place, read_regular

MARKER_NAME = ".zibaldone.toml"
_FORMAT = 1
_MOST_BYTES = 65_536
_SHA256 = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Marker:
    """`reference` maps a page of Reference/ to the SHA-256 of the text we last put there."""

    is_seeded: bool = False
    reference: dict[str, str] = field(default_factory=dict)


def read_marker(root: Path) -> Marker | None:
    """Return the marker of `root`; None when there is none of a format we know."""
    try:
        with opened_place(root, MARKER_NAME) as place:
            content = read_regular(place, _MOST_BYTES)[1]
        table = tomllib.loads(content.decode())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return None
    if table.get("format") != _FORMAT:
        return None
    reference = table.get("reference")
    pages = reference.items() if isinstance(reference, dict) else ()
    return Marker(
        table.get("seeded") is True,
        {name: sha for name, sha in pages if isinstance(sha, str) and _SHA256.fullmatch(sha)},
    )


def write_marker(root: Path, marker: Marker) -> bytes:
    """Create or replace the marker and return its content. Raises OSError."""
    lines = [
        "# This folder is a Zibaldone wiki. Without this file zib leaves the folder alone.",
        f"format = {_FORMAT}",
        f"seeded = {'true' if marker.is_seeded else 'false'}",
        "",
        "[reference]",
        *(f'"{name}" = "{sha}"' for name, sha in sorted(marker.reference.items())),
    ]
    content = ("\n".join(lines) + "\n").encode()
    with opened_place(root, MARKER_NAME) as place:
        try:
            status, old = read_regular(place, _MOST_BYTES)
        except FileNotFoundError:
            create_file(place, content)
        else:
            replace_file(place, content, status, digest(old))
    return content
