"""What the terminal asks of the engine, as imperatives."""

from __future__ import annotations

from engine.plan.contract import PlanOptions
from engine.protocol.base import Command, Lane
from engine.protocol.conversation import Message, Tool
from engine.protocol.wishes import Grammar, Sampling


class LoadModel(Command, frozen=True):
    """Load the model folder at `path`, replacing whatever is loaded.

    `adapter` is a LoRA folder or empty. A model whose plan does not fit fails with `over-budget`
    unless `is_forced`.
    """

    path: str
    adapter: str = ""
    is_forced: bool = False
    draft: str = ""
    """The folder of a draft model; empty for none."""
    is_draft_optional: bool = False
    """One that cannot draft for this model is left out instead of failing the load."""


class UnloadModel(Command, frozen=True):
    """Free the model and every cache."""


class Plan(Command, frozen=True):
    """Plan a model folder's memory without loading it; answered at any moment.

    An empty path means the loaded model.
    """

    path: str
    options: PlanOptions = PlanOptions()


class CountTokens(Command, frozen=True):
    """Count each text's tokens with the loaded model's tokenizer."""

    texts: tuple[str, ...]


class Generate(Command, frozen=True):
    """Answer a conversation.

    `conversation` names the chat whose KV cache may be reused; `max_tokens` None means
    as much as the context window leaves. Requests with the same `prefix_group` begin with the same
    instructions, which are then read once for all of them. What `is_temporary` never reaches the
    disk. `grammar` holds the answer to a form, from after the thinking block on.
    """

    messages: tuple[Message, ...]
    conversation: str = ""
    sampling: Sampling = Sampling()
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    thinking: bool | None = None
    lane: Lane = "chat"
    prefix_group: str = ""
    tools: tuple[Tool, ...] = ()
    grammar: Grammar | None = None
    is_temporary: bool = False


class Cancel(Command, frozen=True):
    """Stop the command with this id, keeping what it has produced."""


class SaveCache(Command, frozen=True):
    """Write everything kept that is not on the disk yet, for at most so many seconds."""

    seconds: float = 10.0


class ForgetCache(Command, frozen=True):
    """Drop the KV caches of one conversation, or the instructions kept for a prefix group.

    Those on the disk go too, also of models that are not loaded.
    """

    owner: str


class Ping(Command, frozen=True):
    """Ask for a sign of life."""


class Shutdown(Command, frozen=True):
    """End the process; the closed channel is the answer.

    What is kept and not on the disk yet is saved first, for at most so many seconds.
    """

    seconds: float = 3.0


AnyCommand = (
    LoadModel
    | UnloadModel
    | Plan
    | CountTokens
    | Generate
    | Cancel
    | SaveCache
    | ForgetCache
    | Ping
    | Shutdown
)
