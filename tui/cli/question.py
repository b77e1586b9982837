"""The question of a command line, with what is piped in."""

from __future__ import annotations

import os
import sys

MOST_PIPED_BYTES = 4 * 1024**2


class NoQuestion(Exception):
    """There is nothing to ask; `str()` is a sentence for the user."""


def read_question(argument: str) -> str:
    """The argument with what is piped in; `-` means only what is piped in. Raises NoQuestion."""
    piped = b"" if sys.stdin.isatty() else sys.stdin.buffer.read(MOST_PIPED_BYTES + 1)
    if len(piped) > MOST_PIPED_BYTES:
        raise NoQuestion(
            f"More than {MOST_PIPED_BYTES // 1024**2} MiB were piped in, which no context window "
            "holds; pipe in the part that matters."
        )
    given = b"" if argument == "-" else os.fsencode(argument)
    try:
        # An argument under an old locale is UTF-8 all the same.
        question = "\n\n".join([given.decode(), piped.decode()]).strip()
    except UnicodeDecodeError as error:
        raise NoQuestion(f"The question is not UTF-8 text: {error.reason}.") from error
    if not question:
        raise NoQuestion('There is no question. Try: zib ask "What is the capital of France?"')
    return question
