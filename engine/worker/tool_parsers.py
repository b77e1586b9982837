"""Parsers for the tool calls of families that mlx-lm has none for."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from mlx_lm.tool_parsers import qwen3_coder

Tools = Sequence[Mapping[str, Any]]
DSML = "｜DSML｜"
_RECIPIENT = re.compile(r"\bto=(?:functions\.)?([\w.-]+)")
_DEEPSEEK_CALL = re.compile(
    r"<｜tool▁call▁begin｜>(.*?)<｜tool▁sep｜>(.*?)(?:<｜tool▁call▁end｜>|$)", re.DOTALL
)
_FENCED = re.compile(r"\s*([\w.-]+)\s*```(?:json)?\s*(.*?)\s*(?:```\s*)?", re.DOTALL)
_DSML_INVOKE = re.compile(rf'<{DSML}invoke name="([^"]+)">(.*)</{DSML}invoke>', re.DOTALL)
_DSML_PARAMETER = re.compile(
    rf'<{DSML}parameter name="([^"]+)" string="(true|false)">(.*?)</{DSML}parameter>', re.DOTALL
)
# mlx-lm carries hardly any types.
_parse_functions: Any = qwen3_coder.parse_tool_call


def parse_json(text: str, tools: Tools) -> object:
    """JSON as it is."""
    return json.loads(text)


def parse_functions(text: str, tools: Tools) -> object:
    """`<function=NAME><parameter=KEY>...`, which families write between tags of their own."""
    return _parse_functions(text, tools)


def parse_harmony(text: str, tools: Tools) -> object:
    """gpt-oss: the header names the function, the message is its arguments."""
    header, _, message = text.partition("<|message|>")
    recipient = _RECIPIENT.search(header)
    if recipient is None:
        raise ValueError("It is addressed to no function.")
    return {"name": recipient[1], "arguments": json.loads(message)}


def parse_deepseek(text: str, tools: Tools) -> object:
    """DeepSeek V3 and R1 (a kind, then name and fenced arguments) and V3.1 (name, arguments)."""
    call = _DEEPSEEK_CALL.match(text)
    if call is None:
        raise ValueError("It has no name.")
    name, arguments = call[1].strip(), call[2].strip()
    if (fenced := _FENCED.fullmatch(arguments)) is not None:
        name, arguments = fenced[1], fenced[2]
    return {"name": name, "arguments": json.loads(arguments)}


def parse_dsml(text: str, tools: Tools) -> object:
    """DeepSeek V3.2: an invocation with typed parameters."""
    invoke = _DSML_INVOKE.search(text)
    if invoke is None:
        raise ValueError("It has no name.")
    return {
        "name": invoke[1],
        "arguments": {
            name: value if is_string == "true" else json.loads(value)
            for name, is_string, value in _DSML_PARAMETER.findall(invoke[2])
        },
    }
