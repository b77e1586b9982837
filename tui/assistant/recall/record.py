"""What was recalled for a question, as it is stored with it.

Everything a model reads of it is stored as it was first rendered, so that later turns, restarts
and newer versions of this program render the same bytes and the prompt cache goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from tui.assistant.seam import read_from_seam
from vault.conversations.values import MessageNode

_MOST = 200


class Why(msgspec.Struct, frozen=True):
    """One part of what a page was ranked by."""

    name: str
    points: float
    words: tuple[str, ...] = ()


def passage_name(title: str, heading: Sequence[str]) -> str:
    """The title, and the heading it stands under when that says more."""
    last = heading[-1] if heading else ""
    return f"{title} › {last}" if last and last != title else title


class Passage(msgspec.Struct, frozen=True):
    """One passage; `shown` is what the model reads of it. A dropped one is not read any more."""

    path: str
    title: str
    shown: str
    date: str = ""
    heading: tuple[str, ...] = ()
    anchor: str = ""
    line: int = 1
    why: tuple[Why, ...] = ()
    hidden: int = 0
    """How many hidden characters were left out of it."""
    is_pinned: bool = False
    is_dropped: bool = False

    @property
    def place(self) -> tuple[str, str]:
        """Where it is in the wiki."""
        return self.path, self.anchor

    @property
    def name(self) -> str:
        """What it is called."""
        return passage_name(self.title, self.heading)


class Record(msgspec.Struct, frozen=True):
    """The passages of one question between `head` and `tail`; without any, the model reads `line`.

    `is_known` says that all that was found is further up already.
    """

    recall: int
    passages: tuple[Passage, ...] = ()
    head: str = ""
    tail: str = ""
    line: str = ""
    is_known: bool = False

    @property
    def read(self) -> tuple[Passage, ...]:
        """What the model reads."""
        return tuple(each for each in self.passages if not each.is_dropped)

    @property
    def block(self) -> str:
        """What stands before the question."""
        read = self.read
        if not read:
            return "" if self.passages else self.line
        shown = "\n\n".join(each.shown for each in read)
        return f"{self.head}{shown}{self.tail}"

    def to_json(self) -> str:
        """As it is stored."""
        return msgspec.json.encode(self).decode()


class Source(msgspec.Struct, frozen=True):
    """A passage that was in the prompt of an answer."""

    path: str
    title: str
    date: str = ""
    heading: tuple[str, ...] = ()
    anchor: str = ""
    line: int = 1

    @property
    def name(self) -> str:
        """What it is called."""
        return passage_name(self.title, self.heading)


class Sources(msgspec.Struct, frozen=True):
    """All of them, as they are stored with the answer."""

    sources: tuple[Source, ...]


def record_of(node: MessageNode) -> Record | None:
    """What was recalled for a question; None when nothing was looked for."""
    if node.role != "user" or not node.extras.recalled:
        return None
    try:
        return msgspec.json.decode(node.extras.recalled, type=Record)
    except (msgspec.DecodeError, RecursionError):
        return None


def sources_of(node: MessageNode) -> tuple[Source, ...]:
    """The passages that were in the prompt of an answer."""
    if node.role != "assistant" or not node.extras.recalled:
        return ()
    try:
        return msgspec.json.decode(node.extras.recalled, type=Sources).sources[:_MOST]
    except (msgspec.DecodeError, RecursionError):
        return ()


def with_recalled(node: MessageNode) -> str:
    """A question as the model reads it."""
    record = record_of(node)
    return f"{record.block}{node.text}" if record else node.text


def sources_read(path: Sequence[MessageNode]) -> tuple[Source, ...]:
    """The passages a model reads with these messages: none from before the last summary."""
    _, read = read_from_seam(path)
    return sources_of_records([record for node in read if (record := record_of(node))])


def sources_json(path: Sequence[MessageNode]) -> str:
    """The same, to be stored; empty without any."""
    sources = sources_read(path)
    return msgspec.json.encode(Sources(sources)).decode() if sources else ""


def sources_of_records(records: Iterable[Record]) -> tuple[Source, ...]:
    """What the model reads of them, each place once; of very many the last ones."""
    found: dict[tuple[str, str, int], Source] = {}
    for record in records:
        for each in record.read:
            key = (*each.place, each.line)
            found[key] = Source(
                each.path, each.title, each.date, each.heading, each.anchor, each.line
            )
    return tuple(found.values())[-_MOST:]
