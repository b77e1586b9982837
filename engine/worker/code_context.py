"""Whether a place in streamed Markdown lies inside code: a fence, or backticks in a line."""

from __future__ import annotations

import re

# What may stand before a fence: quote marks and list marks.
_BEFORE_A_FENCE = re.compile(r"[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*")
_AFTER_A_FENCE = re.compile(r"[\s>]*")
_MOST_OF_A_LINE = 200
_SHORTEST_FENCE = 3


class CodeContext:
    """Fed every character of the answer.

    A run of backticks counts as code until the same run comes again or the paragraph ends. Code by
    indentation is not looked for: what is indented is more often a list.
    """

    def __init__(self) -> None:
        self._fence = ""
        self._is_opening_line = False
        self._inline = 0
        self._run = ""
        self._line = ""
        self._is_escaped = False

    @property
    def is_open(self) -> bool:
        """Whether the character taken last is code."""
        return bool(self._fence or self._inline)

    def advance(self, character: str) -> None:
        """Take the next character."""
        if self._run and character != self._run[0]:
            self._end_run()
        if character == "\n":
            self._end_line()
            return
        is_literal = self._is_escaped and not self.is_open
        if character in "`~" and not is_literal:
            self._run += character
        self._is_escaped = character == "\\" and not is_literal
        if len(self._line) < _MOST_OF_A_LINE:
            self._line += character

    def _end_run(self) -> None:
        run, self._run = self._run, ""
        is_at_start = _BEFORE_A_FENCE.fullmatch(self._line.removesuffix(run)) is not None
        if self._fence:
            if self._is_opening_line and run[0] == "`" == self._fence[0]:
                # Backticks do not occur behind a fence of backticks: these were within a line.
                opened, self._fence, self._is_opening_line = len(self._fence), "", False
                self._inline = 0 if len(run) == opened else opened
        elif is_at_start and len(run) >= _SHORTEST_FENCE:
            self._fence, self._is_opening_line, self._inline = run, True, 0
        elif run[0] == "`":
            if not self._inline:
                self._inline = len(run)
            elif len(run) == self._inline:
                self._inline = 0

    def _end_line(self) -> None:
        line, self._line, self._is_escaped = self._line, "", False
        if self._is_opening_line:
            self._is_opening_line = False
        elif self._fence:
            rest = _AFTER_A_FENCE.sub("", line, count=1).rstrip()
            if len(rest) >= len(self._fence) and not rest.strip(self._fence[0]):
                self._fence = ""
        if not line.strip(" \t>"):
            self._inline = 0
