"""Hands a text to the editor the user set in VISUAL or EDITOR, and takes it back."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from textual.app import App, SuspendNotSupported

from vault.names import stem_of

_LONGEST_NAME = 80


class NoEditor(Exception):
    """There is no program to hand a text to; `str()` is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class Edited:
    """The text as the program left it; `complaint` is a sentence when it failed."""

    text: str
    complaint: str = ""


def editor_command(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The command that was set, in words. Raises NoEditor."""
    for name in ("VISUAL", "EDITOR"):
        try:
            words = tuple(shlex.split(environment.get(name, "")))
        except ValueError as error:
            raise NoEditor(f"{name} cannot be read as a command: {error}.") from error
        if words:
            return words
    raise NoEditor("No editor is set: put its command into VISUAL or EDITOR, then start zib again.")


def edit_outside(app: App[object], path: str, text: str, line: int) -> Edited:
    """Let the user edit `text` in the terminal. Raises NoEditor.

    `line` counts from 1, for the editors that are known to take it. The file that is edited is a
    copy; it stays where it is when it cannot be read back.
    """
    command = editor_command(os.environ)
    folder = Path(tempfile.mkdtemp(prefix="zib-edit-"))
    file = folder / f"{stem_of(path)[:_LONGEST_NAME]}.md"
    content = text.encode("utf-8", "replace")
    file.write_bytes(content)
    try:
        with app.suspend():
            words = [*command, *_line_words(command, line), str(file)]
            status = subprocess.run(words, check=False).returncode
    except SuspendNotSupported as error:
        raise NoEditor("This terminal cannot be handed to another program.") from error
    except OSError as error:
        _clear(folder, file)
        raise NoEditor(f"“{command[0]}” cannot be started: {error.strerror}.") from error
    try:
        written = file.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return Edited(text, f"What “{command[0]}” wrote cannot be read; it is kept in {folder}.")
    _clear(folder, file)
    complaint = f"“{command[0]}” ended with status {status}." if status else ""
    # A lone surrogate in the text was no letter in the file.
    return Edited(text if written.encode() == content else written, complaint)


def _line_words(command: tuple[str, ...], line: int) -> tuple[str, ...]:
    is_known = Path(command[0]).name in {"vi", "vim", "nvim", "nano", "emacs", "micro", "kak"}
    return (f"+{line}",) if is_known and line > 1 else ()


def _clear(folder: Path, file: Path) -> None:
    file.unlink(missing_ok=True)
    # An editor may have left a file of its own beside it, which is not ours to delete.
    if not any(folder.iterdir()):
        folder.rmdir()
