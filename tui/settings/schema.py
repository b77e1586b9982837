"""Every setting there is, with its type, its bounds, its default and its documentation.

A key is the dotted path of its field. Its environment variable is `ZIB_` and the path in capitals
joined by underscores, so `chat.temperature` is `ZIB_CHAT_TEMPERATURE`. `None` is written `"auto"`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct, field

Reading: TypeAlias = Literal["plain", "path", "rows", "permission"]
"""How a value is read where its type alone does not say it; see `tui.settings.values`."""

FolderPath = Annotated[str, Meta(extra={"reading": "path"})]
Rows = Annotated[int, Meta(extra={"reading": "rows"})]
Permission = Annotated[bool, Meta(extra={"reading": "permission"})]
Share = Annotated[float, Meta(ge=0, le=1)]
PositiveShare = Annotated[float, Meta(gt=0, le=1)]
Penalty = Annotated[float, Meta(ge=-10, le=10)]
Window = Annotated[int, Meta(ge=0, le=100_000_000)]
StopText = Annotated[str, Meta(min_length=1, max_length=1024)]


class ChatSettings(Struct, frozen=True, kw_only=True):
    """How the model answers."""

    system_prompt: str = ""
    """Instructions put before every conversation. Empty: none of our own."""

    temperature: Annotated[float, Meta(ge=0, le=5)] | None = None
    """How freely words are chosen; 0 takes the likeliest. "auto": what the model asks for."""

    top_p: PositiveShare | None = None
    """Choose among the likeliest tokens that together reach this probability. 1: all of them."""

    top_k: Annotated[int, Meta(ge=0, le=1_000_000)] | None = None
    """Choose among this many of the likeliest tokens. 0: all of them."""

    min_p: Share | None = None
    """Leave out tokens less likely than this share of the likeliest one. 0: leave out none."""

    xtc_probability: Share = 0.0
    """How often the likeliest of several good tokens are left out, for livelier text. 0: never."""

    xtc_threshold: Annotated[float, Meta(ge=0, le=0.5)] = 0.1
    """The probability from which on a token counts as a good one for xtc_probability."""

    repetition_penalty: Annotated[float, Meta(ge=0.1, le=10)] | None = None
    """Above 1 what was said lately is less likely; 1 is off. "auto": what the model asks for."""

    repetition_window: Window = 20
    """How many tokens repetition_penalty looks back on, your text included. 0: all."""

    presence_penalty: Penalty = 0.0
    """Taken off the score of each token said lately, once. Below 0 it is added."""

    presence_window: Window = 20
    """How many tokens presence_penalty looks back on. 0: all."""

    frequency_penalty: Penalty = 0.0
    """Taken off the score of each token said lately, for each time. Below 0 it is added."""

    frequency_window: Window = 20
    """How many tokens frequency_penalty looks back on. 0: all."""

    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] | None = None
    """The same seed and the same chat give the same answer. "auto": another one each time."""

    stop: Annotated[tuple[StopText, ...], Meta(max_length=64)] = ()
    """Texts that end an answer when the model writes them; they are not shown."""

    max_tokens: Annotated[int, Meta(ge=1, le=100_000_000)] | None = None
    """The longest answer, in tokens. "auto": as much as the context window has room for."""

    collapse_paste: bool = True
    """Show a paste of more than 20 lines or 4,000 characters as a chip; it is sent in full."""

    auto_title: bool = True
    """Let the model give a new chat a title after its first answer."""

    recall_tokens: Annotated[int, Meta(ge=0, le=100_000)] | None = None
    """Tokens of the wiki put before a question. 0: none. "auto": a second of reading, to 1,500."""

    compact: Literal["off", "ask", "auto"] = "ask"
    """What happens when the context is nearly full. "auto": what came first is summed up."""

    compact_at: Annotated[int, Meta(ge=1, le=100)] = 85
    """How full the context is then, in percent."""


Gibibytes = Annotated[float, Meta(gt=0, le=1_000_000)]


class EngineSettings(Struct, frozen=True, kw_only=True):
    """How the engine process computes."""

    prefill_step: Annotated[int, Meta(ge=1, le=65_536)] = 128
    """Tokens of a prompt read between two looks at the stop key. More is faster on a GPU."""

    memory_limit: Gibibytes | None = None
    """GiB the model, its caches and its work may take. "auto": what the machine can spare."""

    prompt_cache: Annotated[float, Meta(ge=0, le=1_000_000)] | None = None
    """GiB for the caches of chats that wait. 0: keep none. "auto": a small share of the memory."""

    disk_tier: Annotated[float, Meta(ge=0, le=1_000_000)] | None = None
    """GiB of disk for kept chats. 0: none. "auto": a tenth of what is free, at most 8."""

    context: Annotated[int, Meta(ge=1, le=100_000_000)] | None = None
    """The longest conversation, in tokens. "auto": what fits and the model allows."""

    kv_bits: Literal["off", "8", "4", "model"] = "off"
    """Bits of the KV cache: 8 lose next to nothing, 4 much on small models. "model": as it says."""

    kv_start: Annotated[int, Meta(ge=0, le=100_000_000)] = 0
    """Tokens a conversation holds before its keys and values are quantized. 0: from the first."""

    threads: Annotated[int, Meta(ge=1, le=4096)] | None = None
    """Threads that compute matrix products on a CPU. "auto": one for each core."""

    wired: Literal["auto", "off"] = "auto"
    """Keep a large model's weights in memory while it answers (macOS only). "off": never ask."""

    idle_unload: Annotated[float, Meta(ge=0, le=1_000_000)] | None = None
    """Minutes until an idle model is freed. 0: never. "auto": 15 where memory is small."""

    adapter: FolderPath = ""
    """The folder of a LoRA adapter to load with the model. Empty: none."""

    drafts: Literal["auto", "off"] = "auto"
    """Check several copied tokens in one go where that is faster. The answer stays the same."""

    draft_model: FolderPath = ""
    """A small model of the same family that guesses ahead: name or folder. Empty: none."""


class UiSettings(Struct, frozen=True, kw_only=True):
    """What the window shows."""

    show_gauge: bool = True
    """Start with the memory pane open."""

    show_wiki: bool = True
    """Start with the wiki pane open."""

    animations: Literal["full", "basic", "none"] = "full"
    """How much moves on the screen. "none" also suits slow connections."""

    images: Literal["auto", "blocks", "off"] = "auto"
    """Draw the wiki's pictures. "blocks": never by the terminal itself. "off": only name them."""

    notify: Literal["off", "bell", "terminal"] = "bell"
    """How an answer tells that it ended while you look elsewhere. "terminal": by the desktop."""


class Settings(Struct, frozen=True, kw_only=True):
    """One snapshot of all settings; replaced whole, never changed."""

    wiki: FolderPath = "~/.zibaldone/wiki"
    """The folder of the wiki. A leading ~ means your home folder."""

    model: FolderPath = ""
    """The model to chat with: name, part of it, or folder. Empty: the one chosen last, or best."""

    models: FolderPath = ""
    """A folder of your models, searched beside the caches of other programs. Empty: our own."""

    theme: str = "zibaldone-dark"
    """The colour theme: a built-in one or one of your own by its name."""

    blas: FolderPath = ""
    """The BLAS library for the CPU, by its path, or "off" for none. Empty: search for one."""

    memory_batch: Rows = 1
    """Rows computed together when chats become articles. More needs more memory."""

    allow_private_media: Permission = False
    """Allow pictures from addresses of your own network. In the environment only 1 allows it."""

    chat: ChatSettings = field(default_factory=ChatSettings)

    engine: EngineSettings = field(default_factory=EngineSettings)

    ui: UiSettings = field(default_factory=UiSettings)

    keys: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Your own keys: the id of an action and the key, or keys with commas between, that do it."""
