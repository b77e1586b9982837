"""What a model can do, by the signs in its files that the engine goes by when it loads it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.models.entry import Capability
from engine.models.model_file import read_object, read_start, read_text

_TOKENIZER_HEAD_BYTES = (64 << 10, 2 << 20)
"""Enough for most, and for the thousands of unused tokens some put before the vocabulary."""
# What follows the added tokens in every tokenizer.json that the tokenizers library writes.
_END_OF_ADDED_TOKENS = b'"normalizer"'
_THINKING_PAIRS = (
    ("<think>", "</think>"),
    ("<longcat_think>", "</longcat_think>"),
    ("<|think:start|>", "<|think:end|>"),
    ("<|channel>", "<channel|>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
)
_SPELLED_THINKING = ("<think>", "</think>")
_HARMONY_TOKENS = ("<|start|>", "<|channel|>", "<|message|>", "<|end|>")
_XTML_TOKENS = ("<|open|>", "<|close|>", "<|sep|>", "<|end_of_msg|>")
_TOOL_TOKENS = ("<|tool_call_start|>", "<|tool_call_end|>")
# Every group is one format; a template that holds all its texts speaks it.
_TOOL_SIGNS = (
    ("<minimax:tool_call>",),
    ("<|tool_call>", "<tool_call|>"),
    ("<start_function_call>",),
    ("<longcat_tool_call>",),
    ("<arg_key>",),
    ("<|tool_list_start|>",),
    ("<|tool_call_start|>",),
    ("<tool_call>\\n<function=",),
    ("<tool_call>\n<function=",),
    ("<|tool_calls_section_begin|>",),
    ('<function name="', '<param name="'),
    ("[TOOL_CALLS]",),
    ("<atem:function_calls>",),
    ("<tool_call>", "tool_call.name"),
    ("<tool_call>", "tools"),
    ("<seed:tool_call>",),
    ("<|tool_call|>",),
    ("<|START_ACTION|>",),
    ("<｜tool▁calls▁begin｜>",),
)


class TokenizerSigns:
    """The tokenizer files of one model folder, read once."""

    def __init__(self, folder: Path) -> None:
        self._config = read_object(folder / "tokenizer_config.json") or {}
        self._added = _added_token_texts(folder, self._config)
        self.template = _chat_template(folder, self._config)

    @property
    def can_chat(self) -> bool:
        """Whether there is a chat template, or mlx-lm has one of its own for the model."""
        # Several named templates chat as well, though mlx-lm looks for tools in a single one only.
        return bool(
            self.template
            or self._config.get("chat_template")
            or self._config.get("chat_template_type")
        )

    @property
    def thinks(self) -> bool:
        """Whether its vocabulary or its template marks thinking."""
        is_spelled = any(tag in self.template for tag in _SPELLED_THINKING)
        groups = (*_THINKING_PAIRS, _XTML_TOKENS, _HARMONY_TOKENS)
        return is_spelled or any(self._has(*group) for group in groups)

    @property
    def calls_tools(self) -> bool:
        """Whether its template or vocabulary has a tool format that can be read."""
        if isinstance(self._config.get("tool_parser_type"), str):
            return True
        by_template = any(all(sign in self.template for sign in group) for group in _TOOL_SIGNS)
        groups = (_XTML_TOKENS, _TOOL_TOKENS, _HARMONY_TOKENS)
        return by_template or any(self._has(*group) for group in groups)

    def _has(self, *tokens: str) -> bool:
        return all(any(f'"{token}"'.encode() in text for text in self._added) for token in tokens)


def abilities(config: Mapping[str, Any], signs: TokenizerSigns) -> frozenset[Capability]:
    """Thinking and tools by the tokenizer, vision by the configuration of a picture encoder."""
    found: set[Capability] = set()
    if signs.thinks:
        found.add("thinking")
    if signs.calls_tools:
        found.add("tools")
    if isinstance(config.get("vision_config"), dict):
        found.add("vision")
    return frozenset(found)


def _added_token_texts(folder: Path, config: Mapping[str, Any]) -> tuple[bytes, ...]:
    """Every added token in double quotes, somewhere in these texts."""
    head = b""
    for most in _TOKENIZER_HEAD_BYTES:
        head = read_start(folder / "tokenizer.json", most) or b""
        if (end := head.find(_END_OF_ADDED_TOKENS)) >= 0:
            head = head[:end]
            break
    older = read_start(folder / "added_tokens.json", max(_TOKENIZER_HEAD_BYTES)) or b""
    listed = "".join(f'"{token}"' for token in _listed_tokens(config))
    return head, older, listed.encode(errors="replace")


def _listed_tokens(config: Mapping[str, Any]) -> Iterator[str]:
    added = config.get("added_tokens_decoder")
    for entry in added.values() if isinstance(added, dict) else ():
        content = entry.get("content") if isinstance(entry, dict) else None
        if isinstance(content, str):
            yield content


def _chat_template(folder: Path, config: Mapping[str, Any]) -> str:
    """The template transformers takes: a file of its own comes before the configuration."""
    own = read_text(folder / "chat_template.jinja")
    template = own if own is not None else config.get("chat_template")
    return template if isinstance(template, str) else ""
