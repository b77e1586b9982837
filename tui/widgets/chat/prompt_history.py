"""What was sent before, on this machine: one JSON text a line, for the user alone."""

from __future__ import annotations

import json
import os
from pathlib import Path

from vault.private_files import read_private, write_private

MOST_KEPT = 1_000
MOST_CHARACTERS = 20_000
_MOST_LINES = 1_500
_MOST_BYTES = 64_000_000
_NAME = "prompts.jsonl"


class PromptHistory:
    """The sent texts, the oldest first. Blocks for a moment; a disk that refuses keeps none."""

    def __init__(self, folder: Path | None = None) -> None:
        """Without a folder it is kept for this run only."""
        self._folder = folder
        self._texts: list[str] | None = None

    @property
    def texts(self) -> list[str]:
        """What was sent; read when it is first asked for."""
        if self._texts is None:
            self._texts = self._read()
        return self._texts

    def add(self, text: str, is_kept: bool = True) -> None:
        """Remember a text; one that is not kept is gone with the program."""
        texts = self.texts
        if texts and texts[-1] == text:
            return
        texts.append(text)
        del texts[:-MOST_KEPT]
        if is_kept and self._folder is not None and len(text) <= MOST_CHARACTERS:
            self._append(self._folder / _NAME, text)

    def _append(self, file: Path, text: str) -> None:
        # One write a line, so that two windows never mix theirs.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            number = os.open(file, flags, 0o600)
            try:
                os.write(number, f"{json.dumps(text)}\n".encode())
            finally:
                os.close(number)
        except OSError:
            self._folder = None

    def _read(self) -> list[str]:
        if self._folder is None:
            return []
        try:
            content = read_private(self._folder, _NAME, _MOST_BYTES)
        except OSError:
            return []
        lines = content.splitlines()
        texts = [text for line in lines if (text := _text_of(line))][-MOST_KEPT:]
        if len(lines) > _MOST_LINES:
            self._shorten(texts)
        return texts

    def _shorten(self, texts: list[str]) -> None:
        assert self._folder is not None  # it was read from there
        try:
            write_private(
                self._folder, _NAME, b"".join(f"{json.dumps(text)}\n".encode() for text in texts)
            )
        except OSError:
            self._folder = None


def _text_of(line: bytes) -> str:
    """The text of a line; empty when it is not one of ours."""
    try:
        text = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    return text if isinstance(text, str) else ""
