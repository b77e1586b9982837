"""A long chat in a home of its own, and answers of list and code that stream for a while."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from pathlib import Path

import msgspec

from engine.script import Reply, ScriptedModel, split_words
from vault.conversations.exporting import ChatDocument
from vault.conversations.store import open_conversations
from vault.conversations.values import MessageNode, Role

MESSAGES = 500
TOKENS_PER_SECOND = 100
_WINDOW_TOKENS = 1_000_000
_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
_QUESTION = "How do the parts of the garden pump of message {} fit together?"
_ANSWER = """Message {0} in short:

- the *valve* is closed by a spring, see `part_{0}`
- the **seal** lasts two summers

```python
def part_{0}(pressure: float) -> float:
    return pressure * {0}
```

The rest is a matter of patience.
"""
_ITEM = "- step {0}: turn the *small* wheel until `gauge_{0}` says **{0}**\n"
_FUNCTION = """def step_{0}(wheel: Wheel) -> int:
    wheel.turn(by={0})
    return gauge_{0}(wheel) + {0}

"""


def store_long_chat(data_dir: Path) -> None:
    """Put a chat of 500 messages into the store. Raises ConversationError."""
    nodes: list[MessageNode] = []
    for number in range(MESSAGES):
        role: Role = "assistant" if number % 2 else "user"
        text = (_ANSWER if number % 2 else _QUESTION).format(number)
        parent = nodes[-1].id if nodes else ""
        when = _BEGAN + timedelta(minutes=number)
        nodes.append(MessageNode(f"{number:032x}", parent, role, text, when))
    last = nodes[-1]
    chat = ChatDocument(
        f"{MESSAGES:032x}",
        _BEGAN,
        last.created,
        tuple(nodes),
        title="The garden pump",
        titled_by="user",
        leaf=last.id,
    )
    with open_conversations(data_dir) as store:
        store.importer.take([chat])


def write_script(folder: Path, seconds: float) -> tuple[Path, Path]:
    """The script, and the folder of the model that says it: a list and code, so long each."""
    tokens = int(seconds * TOKENS_PER_SECOND)
    pace = 1 / TOKENS_PER_SECOND
    answers = {"list": _pieces(_ITEM), "code": _fenced()}
    replies = [
        Reply(match, "".join(islice(pieces, tokens)), seconds_per_token=pace)
        for match, pieces in answers.items()
    ]
    script = folder / "script.json"
    script.write_bytes(msgspec.json.encode(replies))
    model = folder / "model"
    model.mkdir(exist_ok=True)
    wishes = ScriptedModel(context_window=_WINDOW_TOKENS)
    (model / "config.json").write_bytes(msgspec.json.encode(wishes))
    return script, model


def _pieces(form: str) -> Iterator[str]:
    """Words of one item after the other, as the scripted engine cuts them."""
    return (word for number in count(1) for word in split_words(form.format(number)))


def _fenced() -> Iterator[str]:
    yield "```python\n"
    yield from _pieces(_FUNCTION)
