"""From messages to token ids, with control tokens in the text kept plain text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jinja2.exceptions import TemplateError, TemplateSyntaxError

from engine.serving.backend import Refused
from engine.serving.containment import Caught, attempt
from engine.worker.content_marks import Marks
from engine.worker.control_tokens import ControlTokens
from engine.worker.marked_encoding import MarkedEncoder

_NO_OPTIONS: Mapping[str, Any] = {}
_END = "\ue0f1\ue0f2\ue0f1"
"""Stands at the end of an answer that goes on, so that what a template puts after it is cut."""
_MOST_WORDS = 300
"""Characters of what a template says when it refuses."""


class PromptWriter:
    """Writes prompts for one tokenizer.

    Transformers' own protection leaves out what a template in Python renders, dictionary keys, and
    tokens that come into being only by normalising or by joining two texts.
    """

    def __init__(self, tokenizer: Any) -> None:
        """`tokenizer` is mlx-lm's wrapper."""
        self._tokenizer = tokenizer
        self.control = ControlTokens(tokenizer)
        self._encoder = MarkedEncoder(tokenizer, self.control)

    def write(
        self,
        turns: Sequence[dict[str, Any]],
        thinking: bool | None,
        tools: Sequence[dict[str, Any]] = (),
        *,
        options: Mapping[str, Any] = _NO_OPTIONS,
        is_open: bool = True,
    ) -> list[int]:
        """Token ids of the conversation, with the generation prompt if it is open. Raises Refused.

        An open conversation that ends with an assistant's text goes on within that text.

        `turns` and `tools` are as chat templates want them; a `thinking` of None is the model's
        own way; `options` are more variables for the template.
        """
        if not self._tokenizer.has_chat_template:
            raise Refused("bad-request", "This model has no chat template, so it cannot chat.")
        template = self._tokenizer._tokenizer.chat_template
        is_going_on = is_open and _ends_within_answer(turns)
        if is_going_on:
            turns = [*turns[:-1], turns[-1] | {"content": f"{turns[-1]['content']}{_END}"}]
        marks = Marks.absent_from(list(turns), list(tools), template)
        wishes = dict(options)
        wishes["enable_thinking"] = self._tokenizer.has_thinking if thinking is None else thinking
        if tools:
            wishes["tools"] = marks.mark(list(tools), self.control)
        rendered = attempt(
            lambda: self._tokenizer.apply_chat_template(
                marks.mark_turns(turns, self.control),
                add_generation_prompt=is_open and not is_going_on,
                tokenize=False,
                **wishes,
            )
        )
        if isinstance(rendered, Caught):
            raise _refusal(rendered.error) from rendered.error
        if is_going_on:
            rendered = rendered[: rendered.rfind(_END)]
        return self._without_second_start(self._encoder.encode(marks.split(rendered)))

    def _without_second_start(self, ids: list[int]) -> list[int]:
        """Some templates write the token that begins a text twice; models expect one."""
        start = self._tokenizer.bos_token_id
        surplus = 0
        while ids[surplus : surplus + 2] == [start, start]:
            surplus += 1
        return ids[surplus:]


def _ends_within_answer(turns: Sequence[dict[str, Any]]) -> bool:
    last = turns[-1] if turns else {}
    return last.get("role") == "assistant" and bool(last["content"]) and "tool_calls" not in last


def check_ids(prompt: Sequence[int], vocabulary_size: int) -> None:
    """Refuse ids the model has no row for: MLX reads past the end of the table on the CPU."""
    if not prompt:
        raise Refused("bad-request", "The model's chat template makes nothing of this message.")
    if max(prompt) >= vocabulary_size:
        raise Refused(
            "bad-request",
            f"The tokenizer made the id {max(prompt):,}, but the model knows {vocabulary_size:,} "
            "tokens: its files do not belong together. Download the model again.",
        )


def _refusal(error: Exception) -> Refused:
    words = " ".join(str(error).split())[:_MOST_WORDS] or type(error).__name__
    match error:
        case TemplateSyntaxError(lineno=line):
            sentence = f"The model's chat template is broken at line {line}: {words}"
        case TemplateError():
            sentence = f"The model's chat template refuses this conversation: {words}"
        case _:
            sentence = f"The model's chat template failed: {type(error).__name__}: {words}"
    return Refused("bad-request", sentence)
