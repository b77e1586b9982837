"""Where later prompts part from a prompt is found for templates of many manners."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import pytest

from engine.protocol import Message
from engine.serving.backend import Refused
from engine.worker.cache_entry import token_array
from engine.worker.checkpoints import find_checkpoints
from engine.worker.prompt import PromptWriter
from engine.worker.prompt_index import common_prefix
from tests.engine.tokenizer_kinds import CHATML, KINDS

THINKS = CHATML.replace(
    "assistant\n{% endif",
    "assistant\n<think>\n{% if not enable_thinking %}\n</think>\n\n{% endif %}{% endif",
)
ALTERNATING = (
    "{% for message in messages %}{% if (message.role == 'assistant') != (loop.index0 % 2 == 1) %}"
    "{{ raise_exception('Roles must alternate.') }}{% endif %}<s>[INST]{{ message.content }}[/INST]"
    "{% endfor %}"
)
IN_FIRST_QUESTION = (
    "{% for message in messages %}{% if message.role == 'user' %}<s>[INST] {% if loop.index0 == 1 "
    "and messages[0].role == 'system' %}<<SYS>>\n{{ messages[0].content }}\n<</SYS>>\n\n{% endif %}"
    "{{ message.content }} [/INST]{% elif message.role == 'assistant' %} {{ message.content }} </s>"
    "{% endif %}{% endfor %}"
)
DEFAULT_SYSTEM = (
    "{% if messages[0].role != 'system' %}<|im_start|>system\nYou help, and you are brief and kind."
    "<|im_end|>\n{% endif %}" + CHATML
)
PLAIN = (
    "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant:{% endif %}"
)
TEMPLATES = {
    "chatml": CHATML,
    "stripping": CHATML.replace("message.content", "message.content | trim"),
    "thinking": THINKS,
    "alternating": ALTERNATING,
    "in the first question": IN_FIRST_QUESTION,
    "default system": DEFAULT_SYSTEM,
    "plain": PLAIN,
    "joining": "{% for message in messages %}{{ message.content }}{% endfor %}",
}
HEADER = len("<assistant:\n")
"""Tokens where each letter is one."""
SYSTEM = Message("system", "Answer from the notebook, and say on which page.")
ASKED = (Message("user", "Which lens?"), Message("assistant", "The 50mm."), Message("user", "Why?"))


@lru_cache
def writer(template: str, kind: str) -> PromptWriter:
    tokenizer = KINDS[kind]()
    tokenizer._tokenizer.chat_template = TEMPLATES[template]
    return PromptWriter(tokenizer)


def render_with(template: str, kind: str = "byte-level", thinking: bool | None = None) -> Any:
    def render(messages: Sequence[Message], is_open: bool) -> list[int]:
        turns = [{"role": each.role, "content": each.content} for each in messages]
        return writer(template, kind).write(turns, thinking, is_open=is_open)

    return render


def shared(left: Sequence[int], right: Sequence[int]) -> int:
    return common_prefix(token_array(left), token_array(right))


@pytest.mark.parametrize("kind", ["byte-level", "old-sentence-piece"])
@pytest.mark.parametrize("thinking", [None, False])
@pytest.mark.parametrize("has_system", [True, False])
@pytest.mark.parametrize("template", TEMPLATES)
def test_every_later_prompt_shares_all_up_to_a_checkpoint(
    template: str, has_system: bool, thinking: bool | None, kind: str
) -> None:
    if template == "alternating" and has_system:
        pytest.skip("It refuses instructions.")
    render = render_with(template, kind, thinking)
    leading = [SYSTEM] if has_system else []
    messages = [*leading, *ASKED]
    prompt = render(messages, True)
    places = find_checkpoints(render, messages, prompt)
    assert list(places) == sorted(set(places))
    assert all(0 < place < len(prompt) for place in places)

    toggled = render_with(template, kind, not thinking)
    went_on = [*messages, Message("assistant", "The zoom is slow."), Message("user", "So?")]
    edited = [*messages[:-1], Message("user", "And the tripod?")]
    others = [*leading, Message("user", "What is on page 7?")]
    reached = {
        "went on": max(
            shared(prompt, render(went_on, True)), shared(prompt, toggled(went_on, True))
        ),
        "edited": shared(prompt, render(edited, True)),
        "others": shared(prompt, render(others, True)),
    }
    if template == "joining":  # Where nothing is around a text, nothing can be told from it.
        return
    # Each kind of later prompt finds a checkpoint, and no more than a header is read twice.
    for manner, most in reached.items():
        best = max((place for place in places if place <= most), default=0)
        assert most - best <= HEADER, (manner, places, reached)


def test_a_template_that_refuses_everything_else_gives_no_checkpoints() -> None:
    def render(messages: Sequence[Message], is_open: bool) -> list[int]:
        raise Refused("bad-request", "no")

    assert find_checkpoints(render, ASKED, [1, 2, 3]) == ()


def test_a_call_of_a_tool_is_no_question() -> None:
    render = render_with("chatml")
    messages = (*ASKED, Message("assistant", "Let me look."), Message("tool", "It is page 9."))
    prompt = render(messages, True)
    places = find_checkpoints(render, messages, prompt)
    assert places[-1] == shared(prompt, render(messages, False))
    assert len(places) == 2
