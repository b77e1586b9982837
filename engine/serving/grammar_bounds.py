"""What every backend refuses in a wish for structured output, whether it knows grammars or not."""

from __future__ import annotations

from typing import assert_never

import msgspec

from engine.protocol import Choice, Generate, Grammar, JsonSchema, Pattern
from engine.serving.backend import Refused

MOST_BYTES = 128 * 1024
"""Of a schema, a regular expression or all options together: a second to prepare at the worst."""
DEEPEST_NESTING = 100


def check_grammar(command: Generate) -> None:
    """Refuse a grammar that makes no sense, or one beside tools."""
    if command.grammar is None:
        return
    if command.tools:
        raise _refused(
            "A request has either tools or a form for its answer, not both: a call would not be "
            "of that form."
        )
    _check_size(command.grammar)
    match command.grammar:
        case JsonSchema(schema):
            read_schema(schema)
        case Pattern(regex):
            _check_regex(regex)
        case Choice(options):
            _check_options(options)
        case _:
            assert_never(command.grammar)


def read_schema(text: str) -> dict[str, object]:
    """The schema as an object; an empty text is any JSON object. Raises Refused."""
    if not text.strip():
        return {"type": "object"}
    try:
        schema: object = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        raise _refused(f"The JSON schema is not JSON: {_reason(error)}.") from error
    if schema is True:
        return {}
    if schema is False:
        raise _refused("The JSON schema is false, which no answer can satisfy.")
    if not isinstance(schema, dict):
        raise _refused("A JSON schema is a JSON object, and this is none.")
    if _is_deeper(schema, DEEPEST_NESTING):
        raise _refused(f"The JSON schema is nested more than {DEEPEST_NESTING} levels deep.")
    return schema


def _check_size(grammar: Grammar) -> None:
    match grammar:
        case JsonSchema(text):
            name, size = "The JSON schema", len(text.encode())
        case Pattern(text):
            name, size = "The regular expression", len(text.encode())
        case Choice(options):
            name, size = "The choice", sum(len(option.encode()) for option in options)
        case _:
            assert_never(grammar)
    if size > MOST_BYTES:
        raise _refused(f"{name} takes {size:,} bytes; at most {MOST_BYTES:,} are possible.")


def _check_regex(regex: str) -> None:
    if not regex:
        raise _refused("The regular expression is empty.")
    if (len(regex) - len(regex.rstrip("\\"))) % 2:
        raise _refused("The regular expression ends in a backslash that has nothing behind it.")


def _check_options(options: tuple[str, ...]) -> None:
    if not options:
        raise _refused("There is nothing to choose from.")
    if not all(options):
        raise _refused("An option to choose from must not be empty.")


def _is_deeper(value: object, levels: int) -> bool:
    match value:
        case dict():
            return levels == 0 or any(_is_deeper(each, levels - 1) for each in value.values())
        case list():
            return levels == 0 or any(_is_deeper(each, levels - 1) for each in value)
        case _:
            return False


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deep"
    return str(error).removeprefix("JSON is malformed: ").rstrip(".")


def _refused(message: str) -> Refused:
    return Refused("bad-request", message)
