"""Reading config.toml: its bytes, its syntax, and the line on which a key stands."""

import re
import stat
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tui.settings.errors import SettingsError

_LARGEST = 1024 * 1024
_HEADER = re.compile(r"\s*\[\[?\s*([^\]]+?)\s*\]")
_ASSIGNMENT = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*[\w"'-]+)*)\s*=""")
_POSITION = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")
_IN_WORDS = {
    "Cannot overwrite a value": "This key is set a second time. Keep one of the two lines",
    "Unclosed array": "A list is not closed with ]",
    "Invalid statement": 'This is not a line like name = "text"',
    "Invalid value": "The value is not valid TOML. Text needs quotes",
}


@dataclass(frozen=True, slots=True)
class TomlFile:
    """A parsed file and its text, which error messages need."""

    path: Path
    values: dict[str, Any] = field(default_factory=dict)
    text: str = ""

    def place(self, key_path: tuple[str, ...]) -> str:
        """The file, and the line of the key where it can be found."""
        line = _line_of(self.text, key_path)
        return f"{self.path}, line {line}" if line else str(self.path)


def read_toml(path: Path) -> TomlFile:
    """Parse the file; a missing one is an empty one.

    Raises SettingsError when it cannot be read, is not text or is not TOML.
    """
    text = _text_of(path)
    try:
        return TomlFile(path, tomllib.loads(text), text)
    except RecursionError as error:
        raise SettingsError(f"{path}: lists or tables are nested too deeply.") from error
    except ValueError as error:
        # Also what an integer of thousands of digits raises.
        raise SettingsError(_syntax_error(path, text, error)) from error


def _text_of(path: Path) -> str:
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            what = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
            raise SettingsError(f"{path} is {what}, but settings are read from a text file there.")
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise SettingsError(f"Cannot read {path}: {error.strerror or error}.") from error
    if len(data) > _LARGEST:
        raise SettingsError(f"{path} is larger than 1 MiB: it cannot be a settings file.")
    return _decoded(path, data)


def _decoded(path: Path, data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SettingsError(f"{path} is saved as UTF-16. Save it as UTF-8.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"{path}, line {line}: not UTF-8. Save the file as UTF-8.") from error


def _syntax_error(path: Path, text: str, error: ValueError) -> str:
    message = str(error)
    position = _POSITION.search(message)
    reason = message[: position.start()] if position else message
    reason = _IN_WORDS.get(reason, reason)
    if position and position[1]:
        return f"{path}, line {position[1]}, column {position[2]}: {reason}."
    if position:
        return f"{path}, line {text.rstrip().count(chr(10)) + 1}: {reason} (the file ends here)."
    return f"{path}: {reason}."


def _line_of(text: str, key_path: tuple[str, ...]) -> int | None:
    """The first line that assigns the key or opens its table. Good enough for a message."""
    table: tuple[str, ...] = ()
    closing = ""
    for number, line in enumerate(text.split("\n"), start=1):
        if closing:
            closing = "" if closing in line else closing
            continue
        if header := _HEADER.match(line):
            table = _parts(header[1])
            if table == key_path:
                return number
        elif assignment := _ASSIGNMENT.match(line):
            if (*table, *_parts(assignment[1])) == key_path:
                return number
            closing = next((mark for mark in ('"""', "'''") if line.count(mark) == 1), "")
    return _line_of(text, key_path[:-1]) if len(key_path) > 1 else None


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))
