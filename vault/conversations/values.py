"""What the conversation store gives and takes: frozen values, times with a zone."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

Role = Literal["system", "user", "assistant", "tool"]
State = Literal["in-progress", "complete", "cut", "stopped", "failed", "interrupted"]
EndState = Literal["complete", "cut", "stopped", "failed", "interrupted"]
TitledBy = Literal["nobody", "model", "user"]

_LONGEST_NAME = 80
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Usage:
    """What an answer cost: tokens, seconds, and tokens a second."""

    reused: int = 0
    prompt: int = 0
    generated: int = 0
    tokens_per_second: float = 0.0
    first_token_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool the model asked for; `arguments` is JSON as the model wrote it."""

    name: str
    arguments: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A reference to something attached: a path or address, never the content."""

    name: str
    reference: str = ""
    media_type: str = ""
    size: int = 0


@dataclass(frozen=True, slots=True)
class Extras:
    """What only some messages have.

    `recalled` is the caller's own JSON and comes back byte for byte; `answers_call` is the id of
    the call a tool's result belongs to.
    """

    tool_calls: tuple[ToolCall, ...] = ()
    answers_call: str = ""
    usage: Usage | None = None
    recalled: str = ""
    attachments: tuple[Attachment, ...] = ()
    thinking_seconds: float = 0.0


NO_EXTRAS = Extras()


@dataclass(frozen=True, slots=True)
class Draft:
    """A message to be stored; `created` is now when it is None."""

    role: Role
    text: str
    thinking: str = ""
    model: str = ""
    state: EndState = "complete"
    extras: Extras = NO_EXTRAS
    created: datetime | None = None


@dataclass(frozen=True, slots=True)
class MessageNode:
    """A stored message. `parent` is empty at the top; `used` grows with every use of a branch."""

    id: str
    parent: str
    role: Role
    text: str
    created: datetime
    state: State = "complete"
    thinking: str = ""
    model: str = ""
    extras: Extras = NO_EXTRAS
    used: int = 0
    is_deleted: bool = False


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """How a chat is answered; `sampling` is the caller's own JSON."""

    system_prompt: str = ""
    persona: str = ""
    model: str = ""
    sampling: str = ""
    has_memory: bool = True
    memory_scope: str = ""


DEFAULT_OPTIONS = ChatOptions()


@dataclass(frozen=True, slots=True)
class Chat:
    """One chat without its messages. `leaf` is the end of the branch that is shown.

    `opening` is the beginning of the first question; `source` names the program it came from.
    """

    id: str
    title: str
    titled_by: TitledBy
    created: datetime
    changed: datetime
    leaf: str = ""
    is_pinned: bool = False
    tags: tuple[str, ...] = ()
    options: ChatOptions = DEFAULT_OPTIONS
    forked_from: str = ""
    source: str = ""
    deleted: datetime | None = None
    messages: int = 0
    opening: str = ""

    @property
    def name(self) -> str:
        """What to call it: the title, else how it began."""
        if self.title:
            return self.title
        return " ".join(self.opening.split())[:_LONGEST_NAME] or "New chat"


@dataclass(frozen=True, slots=True)
class Branch:
    """Where a message is among its alternatives: `number` of `ids`, counted from 1."""

    number: int
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Deleted:
    """What was deleted: `forget` are the owners of caches in the engine that are needless now."""

    chats: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    forget: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """What `conv:HASH` names; `message` is empty for a whole chat."""

    chat: str
    message: str = ""
