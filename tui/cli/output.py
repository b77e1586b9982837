"""What the commands write: plain text to pipes, harmless text to terminals."""

from __future__ import annotations

import sys

from tui.text.sanitise import StreamSanitiser, to_display


class ProgressLine:
    """One line on standard error that is overwritten; nothing when that is no terminal."""

    def __init__(self) -> None:
        self.is_shown = sys.stderr.isatty()
        self._width = 0

    def show(self, text: str) -> None:
        """Replace the line."""
        if self.is_shown:
            line = to_display(text, multiline=False)
            sys.stderr.write(f"\r{line.ljust(self._width)}")
            sys.stderr.flush()
            self._width = len(line)

    def clear(self) -> None:
        """Take the line away."""
        if self.is_shown and self._width:
            sys.stderr.write(f"\r{' ' * self._width}\r")
            sys.stderr.flush()
            self._width = 0

    def note(self, text: str) -> None:
        """A line that stays."""
        sys.stderr.write(f"zib: {to_display(text, multiline=False)}\n")


class AnswerPrinter:
    """Writes an answer as it comes. A pipe gets the model's own bytes, a terminal harmless ones."""

    def __init__(self, is_silent: bool) -> None:
        self._is_silent = is_silent
        self._sanitiser = StreamSanitiser() if sys.stdout.isatty() else None
        self._parts: list[str] = []

    @property
    def text(self) -> str:
        """The whole answer so far."""
        return "".join(self._parts)

    def write(self, text: str) -> None:
        """The next piece."""
        self._parts.append(text)
        self._put(self._sanitiser.feed(text) if self._sanitiser else text)

    def finish(self) -> None:
        """End the last line."""
        self._put(self._sanitiser.finish() if self._sanitiser else "")
        if not self.text.endswith("\n"):
            self._put("\n")

    def _put(self, text: str) -> None:
        if text and not self._is_silent:
            encoding = sys.stdout.encoding or "utf-8"
            sys.stdout.write(text.encode(encoding, "replace").decode(encoding))
            sys.stdout.flush()
