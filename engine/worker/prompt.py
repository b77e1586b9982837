"""From messages to token ids, with control tokens in the text kept plain text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jinja2.exceptions import TemplateError

from engine.protocol import Message
from engine.serving.backend import Refused


def protect_control_tokens(tokenizer: Any) -> None:
    """Tell the tokenizer every token that must never come out of message text.

    Without the list transformers only knows those the template literally contains.
    """
    inner = tokenizer._tokenizer
    inner.chat_control_tokens = sorted(
        {token.content for token in inner.added_tokens_decoder.values() if token.content}
    )


def render_prompt(tokenizer: Any, messages: Sequence[Message], thinking: bool | None) -> list[int]:
    """Token ids of the conversation with the generation prompt. Raises Refused."""
    if not tokenizer.has_chat_template:
        raise Refused("bad-request", "This model has no chat template, so it cannot chat.")
    turns = [{"role": message.role, "content": message.content} for message in messages]
    options: dict[str, Any] = {}
    if thinking is not None and tokenizer.has_thinking:
        options["enable_thinking"] = thinking
    try:
        ids = tokenizer.apply_chat_template(
            turns, add_generation_prompt=True, sanitize_control_tokens=True, **options
        )
    except (TemplateError, ValueError, TypeError) as error:
        raise Refused(
            "bad-request", f"The model's chat template refuses this conversation: {error}"
        ) from error
    return [int(token) for token in ids]


def check_ids(prompt: Sequence[int], vocabulary_size: int) -> None:
    """Refuse ids the model has no row for: MLX reads past the end of the table on the CPU."""
    if max(prompt) >= vocabulary_size:
        raise Refused(
            "bad-request",
            f"The tokenizer made the id {max(prompt):,}, but the model knows {vocabulary_size:,} "
            "tokens: its files do not belong together. Download the model again.",
        )


def opens_thinking(tokenizer: Any, prompt: Sequence[int]) -> bool:
    """Whether the prompt itself ends inside a thinking block."""
    if not tokenizer.has_thinking:
        return False
    start = tokenizer.rfind_think_start(list(prompt))
    return bool(start > tokenizer.rfind_think_end(list(prompt)))
