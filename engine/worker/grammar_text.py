"""From a wish for structured output to the text llguidance compiles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, assert_never

from llguidance import LLMatcher, regex_to_lark

from engine.protocol import Choice, Grammar, JsonSchema, Pattern
from engine.serving.grammar_bounds import read_schema

# They stand over what a schema says of itself in `x-guidance`: blanks without end are no answer,
# and a keyword that is ignored is not kept.
_COMPACT: Any = {  # its type has a name only for type checkers
    "whitespace_flexible": False,
    "whitespace_pattern": None,
    "item_separator": ",",
    "key_separator": ":",
    "coerce_one_of": False,
    "lenient": False,
}
_ASCII_DIGITS = "d"


def grammar_text(grammar: Grammar) -> str:
    """What to compile. Raises Refused and ValueError; other faults show when it is compiled."""
    match grammar:
        case JsonSchema(schema):
            return str(LLMatcher.grammar_from_json_schema(read_schema(schema), overrides=_COMPACT))
        case Pattern(regex):
            return str(LLMatcher.grammar_from_lark(f"start: /{_in_lark(regex)}/"))
        case Choice(options):
            alternatives = "|".join(_literal(option) for option in _once(options))
            return str(LLMatcher.grammar_from_regex(alternatives))
        case _:
            assert_never(grammar)


def _in_lark(regex: str) -> str:
    # `\d` is 0 to 9: other scripts' digits are rarely what is meant.
    return str(regex_to_lark(regex, _ASCII_DIGITS))


def _literal(text: str) -> str:
    return "".join(f"\\x{{{ord(character):x}}}" for character in text)


def _once(options: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(options))
