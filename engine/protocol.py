"""The messages between the terminal process and the engine process.

Commands are imperative and carry an id; each gets exactly one last event with that id
(`is_last`). `Cancel` names another command's id and is answered by that command's last event.
Knows nothing about sockets (see `framing`) nor about models.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from engine.plan.contract import MemoryPlan, PlanOptions
from engine.plan.device import Device

PROTOCOL_VERSION = 4

NO_REQUEST = 0
"""Id of no command: for the supervisor's pings, for the `Failed` a process ends with, and for a
`ModelLoading` or `ModelLoaded` that nobody asked for (a sleeping model wakes)."""

Role = Literal["system", "user", "assistant", "tool"]
Span = Literal["answer", "thinking"]
FinishReason = Literal["stop", "length", "cancelled"]
FailureKind = Literal["bad-request", "no-model", "load", "over-budget", "no-room", "internal"]
CacheKind = Literal["full", "rotating", "quantized", "recurrent"]
Lane = Literal["chat", "background"]
"""Whose work an answer is: background work never gets in the way of the chat."""
RowState = Literal["queued", "prefill", "decode"]


class Tool(msgspec.Struct, frozen=True):
    """A function the model may ask for; `parameters` is a JSON schema as text."""

    name: str
    description: str = ""
    parameters: str = "{}"


class ToolCall(msgspec.Struct, frozen=True):
    """What the model asks for; `arguments` is a JSON object as text."""

    id: str
    name: str
    arguments: str


class Message(msgspec.Struct, frozen=True):
    """One turn of a conversation as the chat template sees it.

    An assistant's turn may carry its thinking and the calls it made; a `tool` turn answers the call
    `tool_call_id`.
    """

    role: Role
    content: str
    thinking: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""


class JsonSchema(msgspec.Struct, frozen=True, tag=True):
    """The answer is JSON of this schema; empty means any JSON object."""

    schema: str = ""


class Pattern(msgspec.Struct, frozen=True, tag=True):
    """The answer matches this regular expression whole."""

    regex: str


class Choice(msgspec.Struct, frozen=True, tag=True):
    """The answer is one of these texts."""

    options: tuple[str, ...]


Grammar = JsonSchema | Pattern | Choice


class TokenBias(msgspec.Struct, frozen=True):
    """Added to one token's logit before anything else."""

    token: int
    bias: float


class Sampling(msgspec.Struct, frozen=True):
    """How the next token is drawn. None means the model's own default.

    Filters work in the order top_p, min_p, XTC, top_k, then the temperature; 0 switches one off,
    and a temperature of 0 takes the likeliest token. A penalty looks back on a
    window of tokens, the prompt included: 0 means all, None means 20. A draw follows from seed and
    step alone.
    """

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    seed: int | None = None
    xtc_probability: float | None = None
    xtc_threshold: float | None = None
    repetition_penalty: float | None = None
    repetition_window: int | None = None
    presence_penalty: float | None = None
    presence_window: int | None = None
    frequency_penalty: float | None = None
    frequency_window: int | None = None
    logit_bias: tuple[TokenBias, ...] = ()


class Command(msgspec.Struct, frozen=True, tag=True):
    """Base of what the terminal process asks for."""

    id: int


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


class Event(msgspec.Struct, frozen=True, tag=True):
    """Base of what the engine process reports."""


class WorkerReady(Event, frozen=True):
    """The engine process can take commands. Sent once, before any answer."""

    protocol_version: int
    backend: str
    pid: int
    device: Device


class ModelLoading(Event, frozen=True):
    """Loading goes on; `stage` is a phrase for the status line."""

    id: int
    stage: str


class ModelInfo(msgspec.Struct, frozen=True):
    """What is known of the loaded model. Sizes in bytes."""

    name: str
    path: str
    architecture: str
    context_window: int
    weights_bytes: int
    parameters: int
    quantization: str
    device: str
    compute: str
    advice: str = ""
    has_thinking: bool = False
    has_tools: bool = False
    adapter: str = ""
    kv_token_bytes: int = 0
    """Bytes a token adds to the KV cache, as measured after loading; 0 when it is not constant."""
    context_limit: int = 0
    """Tokens a conversation is granted: what fits, at most the window; 0 when nothing limits it."""
    plan: MemoryPlan | None = None
    """The plan at `context_limit`."""
    kv_bits: int = 0
    """Bits of a quantized KV cache, of its coarsest layer; 0 when it is plain."""
    kv_warning: str = ""
    """A sentence where so few bits cost the model answers."""
    draft: str = ""
    """The folder of the model that drafts for it, unless `draft_refusal`; empty for none."""
    draft_bytes: int = 0
    """Bytes of that model's weights."""
    draft_refusal: str = ""
    """A sentence why that model does not draft, where it was wished for."""


class ModelLoaded(Event, frozen=True):
    """Last event of `LoadModel`."""

    id: int
    model: ModelInfo
    seconds: float


class ModelUnloaded(Event, frozen=True):
    """Last event of `UnloadModel`."""

    id: int


class ModelSlept(Event, frozen=True):
    """The idle model was freed to save memory; the next question brings it back."""

    id: int


class Planned(Event, frozen=True):
    """Last event of `Plan`."""

    id: int
    plan: MemoryPlan


class TokensCounted(Event, frozen=True):
    """Last event of `CountTokens`: one count per text."""

    id: int
    counts: tuple[int, ...]


class PromptProgress(Event, frozen=True):
    """Prefill: `done` of `total` prompt tokens, of which `reused` came from the cache."""

    id: int
    done: int
    total: int
    reused: int


class TextDelta(Event, frozen=True):
    """The next piece of the answer; whole characters only."""

    id: int
    text: str
    span: Span = "answer"


class ToolCallRequested(Event, frozen=True):
    """The model asks for a tool that was offered, with arguments that fit; the answer goes on."""

    id: int
    call: ToolCall


class ToolCallMalformed(Event, frozen=True):
    """What the model said looks like a tool call and is none; `reason` is a sentence."""

    id: int
    text: str
    reason: str


class Usage(msgspec.Struct, frozen=True):
    """What one answer cost. Times in seconds, speeds in tokens a second.

    `time_to_first_token` counts from the request and holds `queued_seconds`, the time before its
    prompt was begun; the speeds are what the row saw, whatever ran beside it.
    """

    prompt_tokens: int
    reused_tokens: int
    generated_tokens: int
    context_window: int
    time_to_first_token: float
    prefill_tps: float
    decode_tps: float
    lane: Lane = "chat"
    queued_seconds: float = 0.0
    drafted_tokens: int = 0
    accepted_tokens: int = 0
    grammar_seconds: float = 0.0
    """What holding the answer to its form took, without waiting for the model."""


class Finished(Event, frozen=True):
    """Last event of `Generate`, also of a cancelled one."""

    id: int
    reason: FinishReason
    usage: Usage


class CacheSaved(Event, frozen=True):
    """Last event of `SaveCache`: what it wrote, and whether all that is kept is on the disk now."""

    id: int
    entries: int
    bytes: int
    is_durable: bool


class CacheForgotten(Event, frozen=True):
    """Last event of `ForgetCache`."""

    id: int
    entries: int


class Pong(Event, frozen=True):
    """Last event of `Ping`; `progress` grows whenever work advances, `busy` while there is any."""

    id: int
    progress: int
    busy: bool


class Failed(Event, frozen=True):
    """Last event of any command that could not be carried out; `message` is for the user."""

    id: int
    kind: FailureKind
    message: str


class KVUsage(msgspec.Struct, frozen=True):
    """KV cache of one kind over all running rows; `tokens` is what the rows hold."""

    kind: CacheKind
    layers: int
    bits: int
    tokens: int
    bytes: int


class RowUsage(msgspec.Struct, frozen=True):
    """One answer under way: the request's id, and what its KV cache holds.

    A row in a batch has its share of the batch, padding included.
    """

    id: int
    lane: Lane
    state: RowState
    tokens: int
    kv_bytes: int
    drafted_tokens: int = 0
    accepted_tokens: int = 0


class MemoryReport(Event, frozen=True):
    """What the engine costs right now. Bytes, tokens, tokens a second."""

    active_bytes: int
    cache_bytes: int
    peak_bytes: int
    process_bytes: int
    weights_bytes: int
    kv: tuple[KVUsage, ...]
    context_tokens: int
    context_window: int
    rows_running: int
    rows_waiting: int
    prompt_cache_entries: int
    prompt_cache_bytes: int
    prompt_cache_hits: int
    disk_tier_bytes: int
    prefill_tps: float
    decode_tps: float
    model: ModelInfo | None = None
    sleeping: str = ""
    """The name of a model that was freed to save memory; the next question brings it back."""
    usable_bytes: int = 0
    """What the plan may use: all that is free for this engine, and what it holds already."""
    available_bytes: int = 0
    """What the machine has free now, for any program."""
    is_squeezed: bool = False
    """The system is short of memory: it swaps or reports pressure."""
    best_prefill_tps: float = 0.0
    best_decode_tps: float = 0.0
    rows: tuple[RowUsage, ...] = ()
    """Chat before background, running before queued; in the order they came."""
    kv_budget_bytes: int = 0
    """What the KV caches of all running rows may take together; 0 while nothing bounds it."""
    drafted_tokens: int = 0
    """Tokens drafted for the running rows, or for those that ran last."""
    accepted_tokens: int = 0
    """How many of the drafted tokens came true."""
    prompt_cache_misses: int = 0
    """Requests of conversations and groups of whose prompt nothing was kept."""
    prompt_cache_reused_tokens: int = 0
    """Prompt tokens that did not have to be read, since the model was loaded."""
    disk_tier_entries: int = 0
    """Kept caches on the disk, of all models."""
    disk_tier_pending_bytes: int = 0
    """What waits to be written there."""
    disk_tier_restores: int = 0
    disk_tier_failures: int = 0
    disk_tier_fault: str = ""
    """Why nothing is written there any more; empty while all is well."""


AnyEvent = (
    WorkerReady
    | ModelLoading
    | ModelLoaded
    | ModelUnloaded
    | ModelSlept
    | Planned
    | TokensCounted
    | PromptProgress
    | TextDelta
    | ToolCallRequested
    | ToolCallMalformed
    | Finished
    | CacheSaved
    | CacheForgotten
    | Pong
    | Failed
    | MemoryReport
)

LastEvent = (
    ModelLoaded
    | ModelUnloaded
    | Planned
    | TokensCounted
    | Finished
    | CacheSaved
    | CacheForgotten
    | Pong
    | Failed
)


def is_last(event: AnyEvent) -> bool:
    """Whether this event ends the command whose id it carries."""
    return isinstance(event, LastEvent)
