"""Where in a prompt a later one may part from it, found from what the chat template renders.

A cache that cannot be cut back is of use only where it ends, so rows on such caches leave a copy
at these places: before the first question, before the last one, and after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.protocol import Message
from engine.serving.backend import Refused
from engine.worker.cache_entry import token_array
from engine.worker.prompt_index import common_prefix

Render = Callable[[Sequence[Message], bool], Sequence[int]]
"""The tokens of messages; the flag says whether an answer is to follow. Raises Refused."""

# What begins differently, so that neither can share more with a question by chance than the other,
# and a line break that may melt into what stands before it.
_PROBES = (Message("user", "x"), Message("user", "\n1"))
_QUESTION, _ANSWER = Message("user", "x"), Message("assistant", "x")


def find_checkpoints(
    render: Render, messages: Sequence[Message], prompt: Sequence[int]
) -> tuple[int, ...]:
    """Token counts, ascending, each less than the prompt's length."""
    places = {
        _after_instructions(render, messages, prompt),
        _before_question(render, messages, prompt),
        _after_question(render, prompt),
    }
    return tuple(sorted(place for place in places if 0 < place < len(prompt)))


def _after_instructions(render: Render, messages: Sequence[Message], prompt: Sequence[int]) -> int:
    leading: list[Message] = []
    for message in messages:
        if message.role != "system":
            break
        leading.append(message)
    others = _rendered(render, [([*leading, probe], True) for probe in _PROBES])
    return _least_shared(prompt, others)


def _before_question(render: Render, messages: Sequence[Message], prompt: Sequence[int]) -> int:
    """Only the question is rendered, in a short conversation: a long one takes time to encode."""
    question = messages[-1]
    if question.role != "user" or len(messages) < 2:
        return 0
    before = [_QUESTION, _ANSWER]
    short = _rendered(render, [([*before, question], True)])
    others = _rendered(render, [([*before, probe], True) for probe in _PROBES])
    return _from_end(prompt, short, others)


def _after_question(render: Render, prompt: Sequence[int]) -> int:
    short = _rendered(render, [([_QUESTION], True)])
    others = _rendered(render, [([_QUESTION], False), ([_QUESTION, _ANSWER, _QUESTION], True)])
    return _from_end(prompt, short, others)


def _from_end(
    prompt: Sequence[int], short: Sequence[Sequence[int]], others: Sequence[Sequence[int]]
) -> int:
    """Where the prompt's end begins that it has in common with a short conversation's."""
    for rendered in short:
        shared = _least_shared(rendered, others)
        end = list(rendered[shared:])
        if shared and end and list(prompt[-len(end) :]) == end:
            return len(prompt) - len(end)
    return 0


def _least_shared(tokens: Sequence[int], others: Sequence[Sequence[int]]) -> int:
    first = token_array(tokens)
    return min((common_prefix(token_array(other), first) for other in others), default=0)


def _rendered(
    render: Render, conversations: Sequence[tuple[list[Message], bool]]
) -> list[Sequence[int]]:
    """What the template makes of those it does not refuse."""
    rendered: list[Sequence[int]] = []
    for messages, is_open in conversations:
        try:
            rendered.append(render(messages, is_open))
        except Refused:
            continue
    return rendered
