"""How each model family writes a tool call: its tags, its parser, what a hasty one leaves out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.worker.bare_calls import parse_bare
from engine.worker.markup_families import MESSAGE, is_harmony
from engine.worker.tool_parsers import (
    DSML,
    parse_deepseek,
    parse_dsml,
    parse_functions,
    parse_harmony,
    parse_json,
)

Parser = Callable[[str, Sequence[Mapping[str, Any]]], object]
"""Takes a call's text and the tools offered; may raise anything."""
Closers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ToolFormat:
    """One way to write calls.

    `ends` has the tags that end a block of calls by the tag that begins it; without any, the
    answer's end does. Bare calls may also be all of an answer, without any tag. `sign` begins each
    call where a parser reads only one of several, or drops what it cannot read. `closers` are the
    ends a hasty model forgets, inner ones first.
    """

    name: str
    ends: Mapping[str, tuple[str, ...]]
    parse: Parser
    sign: str = ""
    closers: Closers = ()
    begins_in_header: bool = False
    is_bare: bool = False

    def mended(self, text: str) -> str:
        """The text with every closer it lacks."""
        for opener, closer in self.closers:
            text += closer * max(text.count(opener) - text.count(closer), 0)
        return text

    def calls_in(self, opening: str, body: str) -> list[str]:
        """The text of each call in a block, or the whole where the parser finds them itself."""
        if self.begins_in_header:
            return [opening + body]
        is_part = bool(self.sign) and opening.startswith(self.sign)
        text = (opening + body if is_part else body).strip()
        if not self.sign or self.sign not in text:
            return [text]
        return [self.sign + each.rstrip() for each in text.split(self.sign)[1:]]


def tool_format_of(tokenizer: Any, vocabulary: Mapping[str, int]) -> ToolFormat | None:
    """What mlx-lm found, or else what template and tokens tell; None when it calls no tools."""
    if is_harmony(vocabulary):
        return _HARMONY
    if tokenizer.has_tool_calling:
        return _known_to_mlx_lm(tokenizer)
    template = tokenizer.chat_template if isinstance(tokenizer.chat_template, str) else ""
    if DSML in vocabulary and not template:
        return _DSML_FORMAT
    known = (each for each in _MORE_FORMATS if all(tag in template for tag in each.ends))
    found = next(known, None)
    return _LLAMA3 if found is None and _is_llama3(vocabulary, template) else found


def _is_llama3(vocabulary: Mapping[str, int], template: str) -> bool:
    """Its template asks for `{"name": …, "parameters": …}` and nothing around it."""
    return all(token in vocabulary for token in _LLAMA3_TOKENS) and '"parameters"' in template


def _known_to_mlx_lm(tokenizer: Any) -> ToolFormat:
    name = tokenizer.tool_parser.__module__.rpartition(".")[2]
    start, end = tokenizer.tool_call_start, tokenizer.tool_call_end
    sign, closers = _DETAILS.get(name, ("", ()))
    ends: dict[str, tuple[str, ...]] = {start: (end,) if end else ()}
    if name == "qwen3_coder":
        # Some leave out what should stand around the function.
        ends["<function="] = ("</function>",)
    return ToolFormat(name, ends, tokenizer.tool_parser, sign, closers)


_FUNCTION: tuple[str, Closers] = (
    "<function=",
    (("<parameter=", "</parameter>"), ("<function=", "</function>")),
)
_DETAILS: Mapping[str, tuple[str, Closers]] = {
    "function_gemma": ("call:", (("{", "}"),)),
    "gemma4": ("", (("{", "}"),)),
    "glm47": ("", (("<arg_key>", "</arg_key>"), ("<arg_value>", "</arg_value>"))),
    "longcat": (
        "",
        (
            ("<longcat_arg_key>", "</longcat_arg_key>"),
            ("<longcat_arg_value>", "</longcat_arg_value>"),
        ),
    ),
    "kimi_k2": ("<|tool_call_begin|>", (("<|tool_call_begin|>", "<|tool_call_end|>"),)),
    "kimi_k3": (
        "<|open|>call",
        (
            ("<|open|>argument", "<|close|>argument<|sep|>"),
            ("<|open|>call", "<|close|>call<|sep|>"),
        ),
    ),
    "minicpm5": (
        "<function name=",
        (("<param ", "</param>"), ("<function name=", "</function>")),
    ),
    "minimax_m2": (
        "<invoke name=",
        (("<parameter name=", "</parameter>"), ("<invoke name=", "</invoke>")),
    ),
    "muse_spark": (
        "<atem:invoke",
        (("<atem:parameter", "</atem:parameter>"), ("<atem:invoke", "</atem:invoke>")),
    ),
    "pythonic": ("", (("(", ")"), ("[", "]"))),
    "qwen3_coder": _FUNCTION,
}
_HARMONY = ToolFormat(
    "harmony",
    {MESSAGE: ("<|call|>", "<|end|>", "<|start|>", "<|channel|>")},
    parse_harmony,
    begins_in_header=True,
)
_DSML_FORMAT = ToolFormat(
    "deepseek_v32",
    {f"<{DSML}function_calls>": (f"</{DSML}function_calls>",)},
    parse_dsml,
    f"<{DSML}invoke",
    ((f"<{DSML}parameter", f"</{DSML}parameter>"), (f"<{DSML}invoke", f"</{DSML}invoke>")),
)
_PYTHON_TAG = "<|python_tag|>"
_LLAMA3_TOKENS = ("<|start_header_id|>", _PYTHON_TAG)
# The tag begins what its own tools take; some put it before other calls too.
_LLAMA3 = ToolFormat("llama3", {_PYTHON_TAG: ()}, parse_bare, is_bare=True)
_MORE_FORMATS = (
    ToolFormat(
        "deepseek",
        {"<｜tool▁calls▁begin｜>": ("<｜tool▁calls▁end｜>",)},
        parse_deepseek,
        "<｜tool▁call▁begin｜>",
    ),
    ToolFormat(
        "seed_oss", {"<seed:tool_call>": ("</seed:tool_call>",)}, parse_functions, *_FUNCTION
    ),
    ToolFormat("cohere", {"<|START_ACTION|>": ("<|END_ACTION|>",)}, parse_json),
    ToolFormat("phi4", {"<|tool_call|>": ("<|/tool_call|>",)}, parse_json),
    ToolFormat("hermes", {"<tool_call>": ("</tool_call>",)}, parse_json),
)
