"""What a chat template takes, found out by letting it render small conversations once.

Templates refuse what they do not know, leave it out in silence, or print it as Python would; none
of this can be told from their text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from jinja2.exceptions import TemplateError

from engine.worker.markup import Markup

Turn = dict[str, Any]
ArgumentsForm = Literal["object", "text", "none"]
_SIGN, _KEY, _VALUE = "zqsign", "zqkey", "zqvalue"
_NAMES = ("zqfirst", "zqsecond")
_SHORT_IDS = re.compile(r"length\s*!=\s*9\b")
_WHAT_TEMPLATES_RAISE = (
    TemplateError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
)


@dataclass(frozen=True, slots=True)
class TurnStyle:
    """What one model's template takes.

    `arguments` is the form of a call's arguments, `none` when it knows no calls and results.
    `calls` is False when it has no way to offer tools, or the model none to ask for them.
    """

    calls: bool
    arguments: ArgumentsForm
    takes_system: bool
    takes_late_system: bool
    takes_repeats: bool
    takes_many_calls: bool
    has_short_ids: bool
    is_harmony: bool


def style_of(tokenizer: Any, markup: Markup) -> TurnStyle:
    """Try the tokenizer's template."""
    template = _Template(tokenizer)
    arguments = template.arguments_form()
    is_offering = markup.tools is not None and template.offers_tools()
    return TurnStyle(
        calls=is_offering and arguments != "none",
        arguments=arguments,
        takes_system=template.shows(_said("system"), _turn("user", "a")),
        takes_late_system=template.shows(
            _turn("user", "a"), _turn("assistant", "b"), _said("system"), _turn("user", "c")
        ),
        takes_repeats=template.shows(_turn("user", "a"), _said("user")),
        takes_many_calls=arguments != "none" and template.shows_calls(_NAMES, arguments),
        has_short_ids=bool(_SHORT_IDS.search(template.text)),
        is_harmony=markup.tools is not None and markup.tools.begins_in_header,
    )


class _Template:
    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self.text = tokenizer.chat_template if isinstance(tokenizer.chat_template, str) else ""

    def shows(self, *turns: Turn) -> bool:
        """Whether the sign comes through."""
        return _SIGN in self._render(turns)

    def offers_tools(self) -> bool:
        """Whether a tool that is offered is written into the prompt."""
        return _NAMES[0] in self._render([_turn("user", "a")], tools=[_tool(_NAMES[0])])

    def arguments_form(self) -> ArgumentsForm:
        """How a call's arguments come through as JSON, or as what the family writes instead."""
        forms: tuple[ArgumentsForm, ...] = ("object", "text")
        return next((form for form in forms if self.shows_calls(_NAMES[:1], form)), "none")

    def shows_calls(self, names: Sequence[str], form: ArgumentsForm) -> bool:
        """Whether calls in one turn come through with their arguments and their results."""
        arguments: Any = {_KEY: _VALUE}
        if form == "text":
            arguments = json.dumps(arguments)
        calls = [
            call_turn(f"zqcall{place:03}", name, arguments) for place, name in enumerate(names)
        ]
        results = [
            {"role": "tool", "content": _SIGN, "name": name, "tool_call_id": call["id"]}
            for name, call in zip(names, calls, strict=True)
        ]
        asking = {"role": "assistant", "content": "", "tool_calls": calls}
        tools = [_tool(name) for name in names]
        said = self._render([_turn("user", "a"), asking, *results], tools)
        is_garbled = f"'{_KEY}'" in said or f'\\"{_KEY}' in said
        behind_offer = said.count(_VALUE) == said.count(_SIGN) == len(names)
        return behind_offer and not is_garbled and all(name in said for name in names)

    def _render(self, turns: Sequence[Turn], tools: Sequence[Turn] = ()) -> str:
        offer = {"tools": list(tools)} if tools else {}
        try:
            return str(
                self._tokenizer.apply_chat_template(
                    list(turns), add_generation_prompt=True, tokenize=False, **offer
                )
            )
        except _WHAT_TEMPLATES_RAISE:
            return ""


def call_turn(id: str, name: str, arguments: object) -> Turn:
    """A call as chat templates want it."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _turn(role: str, content: str) -> Turn:
    return {"role": role, "content": content}


def _said(role: str) -> Turn:
    return _turn(role, _SIGN)


def _tool(name: str) -> Turn:
    properties = {_KEY: {"type": "string", "description": "a"}}
    parameters = {"type": "object", "properties": properties, "required": [_KEY]}
    function = {"name": name, "description": "a", "parameters": parameters}
    return {"type": "function", "function": function}
