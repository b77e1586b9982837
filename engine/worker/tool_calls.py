"""Reads the tool calls in what a model said, trusting none of it.

A call counts when its tool was offered and its arguments fit; whatever else looks like one is kept
as text with the reason. What cannot be read is repaired once, never evaluated. Of a name that
comes twice in an object the last one counts; what is passed on is written anew, so nobody behind
reads it otherwise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from engine.protocol import Generate, ToolCall
from engine.worker.argument_values import plain
from engine.worker.relaxed_json import read_relaxed
from engine.worker.spans import CallText
from engine.worker.tool_formats import ToolFormat
from engine.worker.tool_schema import OfferedTool, offered

MOST_CALLS = 16
LONGEST_CALL = 16 * 1024
"""Characters. Some parsers' time grows with the square of it."""
_DEEPEST = 64
_OPERATORS = re.compile(r"[-+~!]{64}|(?:\b(?:not|lambda|await)\b[\s:]*){16}")
_OWN_ID = re.compile(r"[\w.:-]{1,64}", re.ASCII)
_CUT = "The answer ended in the middle of it."


@dataclass(frozen=True, slots=True)
class MalformedCall:
    """What looked like a call and is none, with the reason in words."""

    text: str
    reason: str


ReadCall = ToolCall | MalformedCall
_WHAT_PARSERS_RAISE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
)
_NAMES = ("name", "function", "tool_name", "tool")
_ARGUMENTS = ("arguments", "parameters", "args", "input")


class CallReader:
    """Reads the calls of one answer. `salt` tells its ids from those of other answers."""

    def __init__(self, form: ToolFormat, tools: Sequence[OfferedTool], salt: str) -> None:
        self._form = form
        self._tools = {tool.name: tool for tool in tools}
        self._described = [tool.described() for tool in tools]
        self._salt = salt
        self._ids: set[str] = set()

    def read(self, block: CallText, is_cut: bool = False) -> list[ReadCall]:
        """The calls in a block, in order; `is_cut` when the answer was ended within it."""
        if is_cut:
            return [MalformedCall(block.whole, _CUT)]
        if len(block.whole) > LONGEST_CALL:
            return [MalformedCall(block.whole, f"It is longer than {LONGEST_CALL:,} characters.")]
        texts = self._form.calls_in(block.opening, block.body)
        read: list[ReadCall] = []
        for text in texts:
            shown = block.whole if len(texts) == 1 else text
            for call in self._read_one(text, shown):
                is_one_more = isinstance(call, ToolCall) and len(self._ids) >= MOST_CALLS
                too_many = MalformedCall(shown, f"More than {MOST_CALLS} calls are too many.")
                read.append(too_many if is_one_more else call)
                if isinstance(call, ToolCall) and not is_one_more:
                    self._ids.add(call.id)
        return read

    def _read_one(self, text: str, shown: str) -> Sequence[ReadCall]:
        reason = ""
        # What lacks an end comes first as it was meant: parsers drop in silence what is not closed.
        for variant in dict.fromkeys((self._form.mended(text), text)):
            try:
                return self._understood(variant)
            except ValueError as error:
                reason = str(error)
        try:
            return self._repaired(text)
        except ValueError:
            return [MalformedCall(shown, reason)]

    def _understood(self, text: str) -> list[ToolCall]:
        _check_shape(text)
        try:
            parsed = self._form.parse(text, self._described)
        except _WHAT_PARSERS_RAISE as error:
            raise ValueError("It cannot be read.") from error
        return self._calls(parsed)

    def _repaired(self, text: str) -> list[ToolCall]:
        """JSON as people write it: whole calls, or arguments behind the name of a tool."""
        _check_shape(text)
        text = text.replace('<|"|>', '"').replace("[ARGS]", " ")
        values = read_relaxed(text)
        try:
            return self._calls(values)
        except ValueError:
            words = re.findall(r"[\w-]+", re.split(r"[{\[]", text, maxsplit=1)[0])
            names = [word for word in words if word in self._tools]
            if len(values) != 1 or not names:
                raise
            return [self._call(names[-1], values[0], None, 0)]

    def _calls(self, parsed: object) -> list[ToolCall]:
        found = [_name_and_arguments(each) for each in _flat(parsed)]
        if not found:
            raise ValueError("There is no call in it.")
        return [self._call(*each, place) for place, each in enumerate(found)]

    def _call(self, name: str, arguments: object, own_id: object, place: int) -> ToolCall:
        known = name.removeprefix("functions.")
        tool = self._tools.get(name) or self._tools.get(known)
        if tool is None:
            names = ", ".join(self._tools) or "none"
            raise ValueError(f"There is no tool {name[:64]!r}; there are: {names}.")
        if isinstance(arguments, str):
            arguments = _decoded(arguments)
        if not isinstance(arguments, dict):
            raise ValueError(f"The arguments of {tool.name} are not a JSON object.")
        fitting = tool.fitted(plain(arguments))
        written = json.dumps(fitting, ensure_ascii=False, allow_nan=False)
        return ToolCall(self._id(own_id, tool.name, written, place), tool.name, written)

    def _id(self, own_id: object, name: str, arguments: str, place: int) -> str:
        """The model's own id where it is one, else nine letters, which every template takes."""
        if isinstance(own_id, str) and _OWN_ID.fullmatch(own_id) and own_id not in self._ids:
            return own_id
        key = f"{self._salt}\0{len(self._ids) + place}\0{name}\0{arguments}"
        return "c" + blake2b(key.encode(), digest_size=4).hexdigest()


def reader_for(
    command: Generate, form: ToolFormat | None, prompt: Sequence[int]
) -> CallReader | None:
    """The reader of an answer to this prompt; None when it was offered no tools."""
    if form is None or not command.tools:
        return None
    return CallReader(form, offered(command.tools), f"{len(prompt)}")


def _check_shape(text: str) -> None:
    """Refuse what would exhaust a recursive parser. Raises ValueError."""
    depth = 0
    for character in text:
        if character in "([{":
            depth += 1
            if depth > _DEEPEST:
                raise ValueError(f"It is nested more than {_DEEPEST} deep.")
        elif character in ")]}":
            depth = max(depth - 1, 0)
    if _OPERATORS.search(text):
        raise ValueError("It is nested too deep.")


def _flat(parsed: object) -> Iterable[object]:
    if isinstance(parsed, list):
        for each in parsed:
            yield from each if isinstance(each, list) else [each]
    else:
        yield parsed


def _name_and_arguments(call: object) -> tuple[str, object, object]:
    """What a parser, or a model that writes JSON, calls name, arguments and id."""
    if not isinstance(call, dict):
        raise ValueError("A call must be an object with name and arguments.")
    inner: Any = call.get("function")
    own_id = call.get("id")
    if isinstance(inner, dict):
        call = inner
    name = next((call[key] for key in _NAMES if isinstance(call.get(key), str)), None)
    if name is None:
        raise ValueError("It has no name.")
    arguments: object = next((call[key] for key in _ARGUMENTS if key in call), {})
    return name, arguments, own_id


def _decoded(arguments: str) -> object:
    try:
        return json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        values = read_relaxed(arguments)
        return values[0] if len(values) == 1 else None
