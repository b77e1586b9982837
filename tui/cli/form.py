"""What form `zib ask` was told to hold the answer to: a JSON schema, a pattern or a choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.protocol import Choice, FinishReason, Grammar, JsonSchema, Pattern

MOST_SCHEMA_BYTES = 4 * 1024**2
"""Of a file worth reading at all; how much a schema may take is for the engine to say."""


class FormError(Exception):
    """The options make no form; `str()` is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class FormOptions:
    """What the command line said; None or nothing where it said nothing."""

    schema: str | None = None
    regex: str | None = None
    choices: Sequence[str] = ()

    def read(self) -> Grammar | None:
        """The form, with a schema read from its file. Raises FormError."""
        given = [self.schema is not None, self.regex is not None, bool(self.choices)]
        if sum(given) > 1:
            raise FormError("Give only one of --schema, --regex and --choice.")
        if self.schema is not None:
            return JsonSchema(_schema_text(self.schema))
        if self.regex is not None:
            return Pattern(self.regex)
        return Choice(tuple(self.choices)) if self.choices else None


def cut_note(grammar: Grammar | None, reason: FinishReason) -> str:
    """What is wrong with an answer that was to be of a form; nothing where it is whole."""
    if grammar is None or reason == "stop":
        return ""
    return (
        "The answer was cut off before it had the form asked for: allow more with --max-tokens, "
        "or bound what the form leaves open."
    )


def _schema_text(given: str) -> str:
    if given.lstrip().startswith("{"):
        return given
    file = Path(given).expanduser()
    try:
        if file.stat().st_size > MOST_SCHEMA_BYTES:
            raise FormError(f"{given} is too large for a JSON schema.")
        return file.read_text("utf-8-sig")
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        raise FormError(f"The JSON schema {given} cannot be read: {reason}.") from error
    except ValueError as error:
        raise FormError(f"The JSON schema {given} is not UTF-8 text.") from error
