"""What an Obsidian vault says about itself: exclusions, link style, and its special folders.

Read leniently from `.obsidian`; a file that cannot be read counts as absent and is reported.
"""

import contextlib
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

import regex

from vault import os_errors
from vault.confined import opened_place, read_regular
from vault.errors import NotAllowed
from vault.names import check_path

CONFIGURATION = ".obsidian"
LinkStyle = Literal["shortest", "relative", "absolute"]
NewNotes = Literal["root", "current", "folder"]
Name = TypeVar("Name", bound=str)

_MOST_BYTES = 1 << 20
_MOST_FILTERS = 1000
_PATTERN_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Conventions:
    """The habits of a vault; the defaults are Obsidian's own.

    Folders are paths from the vault's root, empty for the root itself, None where nothing is set.
    `attachments_folder` may begin with `./`: then it is meant from the note's own folder.
    """

    link_style: LinkStyle = "shortest"
    writes_markdown_links: bool = False
    is_updating_links: bool = True
    excluded: tuple[str, ...] = ()
    new_notes: NewNotes = "root"
    new_notes_folder: str = ""
    attachments_folder: str = ""
    templates_folder: str | None = None
    template_date_format: str = "YYYY-MM-DD"
    template_time_format: str = "HH:mm"
    daily_folder: str = ""
    daily_format: str = "YYYY-MM-DD"
    daily_template: str | None = None
    problems: tuple[str, ...] = ()

    def folder_for_new_note(self, current: str = "") -> str:
        """Where a note made without a folder belongs, seen from the note `current`."""
        match self.new_notes:
            case "root":
                return ""
            case "current":
                return current.rpartition("/")[0]
            case "folder":
                return self.new_notes_folder


def is_obsidian_vault(root: Path) -> bool:
    """Whether the folder has Obsidian's settings."""
    return (root / CONFIGURATION).is_dir()


def read_conventions(root: Path) -> Conventions:
    """Read them; the defaults for a folder that Obsidian never opened."""
    reader = _Reader(root)
    app = reader.table("app.json")
    daily = reader.table("daily-notes.json")
    templates = reader.table("templates.json")
    folder = _folder(templates.get("folder"))
    return Conventions(
        link_style=_choice(app, "newLinkFormat", ("shortest", "relative", "absolute")),
        writes_markdown_links=app.get("useMarkdownLinks") is True,
        is_updating_links=app.get("alwaysUpdateLinks") is not False,
        excluded=_texts(app.get("userIgnoreFilters")),
        new_notes=_choice(app, "newFileLocation", ("root", "current", "folder")),
        new_notes_folder=_folder(app.get("newFileFolderPath")) or "",
        attachments_folder=_attachments(app.get("attachmentFolderPath")),
        templates_folder=folder,
        template_date_format=_text(templates.get("dateFormat")) or "YYYY-MM-DD",
        template_time_format=_text(templates.get("timeFormat")) or "HH:mm",
        daily_folder=_folder(daily.get("folder")) or "",
        daily_format=_text(daily.get("format")) or "YYYY-MM-DD",
        daily_template=_folder(daily.get("template")),
        problems=tuple(reader.problems),
    )


class Exclusions:
    """Obsidian's excluded files: the beginnings of paths, and patterns between slashes."""

    def __init__(self, filters: Iterable[str]) -> None:
        self._beginnings: list[str] = []
        self._patterns: list[regex.Pattern[str]] = []
        for each in filters:
            if len(each) > 2 and each.startswith("/") and each.endswith("/"):
                self._add_pattern(each[1:-1])
            elif each.strip("/"):
                self._beginnings.append(_folded(each))

    def __contains__(self, path: object) -> bool:
        if not isinstance(path, str):
            return False
        folded = _folded(path)
        if any(folded.startswith(beginning) for beginning in self._beginnings):
            return True
        return any(self._matches(pattern, path) for pattern in tuple(self._patterns))

    def _add_pattern(self, text: str) -> None:
        try:
            self._patterns.append(regex.compile(text, regex.IGNORECASE))
        except (regex.error, OverflowError, RecursionError):
            # Obsidian shows everything for a pattern it cannot read.
            return

    def _matches(self, pattern: regex.Pattern[str], path: str) -> bool:
        try:
            return pattern.search(path, timeout=_PATTERN_SECONDS) is not None
        except TimeoutError:
            with contextlib.suppress(ValueError):  # another thread may have been first
                self._patterns.remove(pattern)
            return False


class _Reader:
    def __init__(self, root: Path) -> None:
        self._root = root
        self.problems: list[str] = []

    def table(self, name: str) -> Mapping[str, object]:
        try:
            with opened_place(self._root, f"{CONFIGURATION}/{name}") as place:
                content = read_regular(place, _MOST_BYTES)[1]
            found = json.loads(content.decode("utf-8-sig"))
        except FileNotFoundError:
            return {}
        except (OSError, NotAllowed) as error:
            why = os_errors.reason(error) if isinstance(error, OSError) else str(error)
            self.problems.append(f"{CONFIGURATION}/{name} could not be read: {why}")
            return {}
        except (ValueError, RecursionError):
            self.problems.append(f"{CONFIGURATION}/{name} is not valid JSON, so it is not obeyed")
            return {}
        return found if isinstance(found, dict) else {}


def _choice(table: Mapping[str, object], key: str, names: tuple[Name, ...]) -> Name:
    value = table.get(key)
    return next((name for name in names if name == value), names[0])


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(each for each in value[:_MOST_FILTERS] if isinstance(each, str) and each.strip())


def _folder(value: object) -> str | None:
    """A path inside the vault, or None: what leads out of it is not obeyed."""
    bare = _text(value).strip("/")
    if not bare:
        return None
    try:
        return check_path(bare)
    except NotAllowed:
        return None


def _attachments(value: object) -> str:
    text = _text(value)
    if text.startswith("./"):
        inner = _folder(text[2:])
        return f"./{inner}" if inner else "./"
    return _folder(text) or ""


def _folded(path: str) -> str:
    return re.sub("/+", "/", unicodedata.normalize("NFC", path).casefold().lstrip("/"))
