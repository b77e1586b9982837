"""Where the wiki lives: turns the setting into a path."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from vault.errors import NotAllowed


@dataclass(frozen=True, slots=True)
class WikiLocation:
    """The wiki's folder, where its index is, and what says which folders zib may write to."""

    root: Path
    consents_dir: Path
    data_dir: Path


def folder_key(root: Path) -> str:
    """What names a folder in the data folder: the same for every way to it."""
    return hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:32]


def default_root(home: Path) -> Path:
    """Return where the wiki lives when nothing is set."""
    return home / ".zibaldone" / "wiki"


def expand_root(text: str, home: Path) -> Path:
    """Return the absolute wiki folder for the setting `text`; blank means the default.

    A leading tilde means `home` only when it is the whole text or stands before a slash, so
    that a folder called `~notes` stays what it is.
    """
    text = text.strip()
    if "\0" in text:
        raise NotAllowed("The wiki folder may not contain a NUL character; check the wiki setting.")
    if not text:
        return default_root(home)
    if text == "~":
        return home
    if text.startswith(("~/", "~\\")):
        return home / text[2:].lstrip("/\\")
    return Path(text).absolute()
