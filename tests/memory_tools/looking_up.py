"""An assistant over the scripted engine whose model looks things up in a real wiki."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from engine.answers import AnswerEvent
from engine.client import EngineClient
from engine.config import EngineConfig
from engine.process import SCRIPTED_MODULE, EngineLaunch
from engine.protocol import Generate, ToolCall
from engine.script import Reply, ScriptedModel
from tui.assistant.assistant import Assistant
from tui.assistant.events import AssistantEvent
from tui.assistant.memory_tools.tool_desk import ToolDesk
from tui.assistant.requests import Ask, Request
from tui.assistant.stored_chats import StoredChats
from tui.assistant.style import AnswerStyle
from vault.conversations.values import MessageNode
from vault.vault import Vault, open_vault

Found = TypeVar("Found")
LENS = "# Lens\n\nThe 50mm f/1.8 is the one for the trip.\n\n## Weight\n\n160 grams.\n"
BAG = "# Bag\n\nThe green one. See [[Lens]].\n"


def call(name: str, arguments: str = "{}", id: str = "") -> ToolCall:
    """A call as a model makes it."""
    return ToolCall(id or "same", name, arguments)


SEARCH = call("memory_search", '{"query": "lens trip"}')
READ = call("memory_read", '{"page": "Lens"}')


class OpenWiki:
    """A wiki that answers in a thread, as the window's does; `gate` holds the answers back."""

    def __init__(self, folder: Path) -> None:
        self.vault = open_vault(folder / "wiki", data_dir=folder / "data")
        self.gate = asyncio.Event()
        self.gate.set()
        self.asked = 0

    async def ask(self, question: Callable[[Vault], Found]) -> Found:
        """Answer once the gate is open."""
        self.asked += 1
        await self.gate.wait()
        return await asyncio.to_thread(question, self.vault)


class Recorder:
    """An engine, and everything that was asked of it."""

    def __init__(self, engine: EngineClient) -> None:
        self.engine = engine
        self.requests: list[Generate] = []

    def run(self, request: Generate) -> AsyncGenerator[AnswerEvent, None]:
        """Pass it on."""
        self.requests.append(request)
        return self.engine.run(request)

    def stop_answers(self, conversation: str | None = None) -> None:
        """Pass it on."""
        self.engine.stop_answers(conversation)

    async def forget(self, conversation: str) -> int:
        """Pass it on."""
        return await self.engine.forget(conversation)


@dataclass(slots=True)
class LookingUp:
    """The assistant, its wiki, and everything that was asked of the engine."""

    assistant: Assistant
    wiki: OpenWiki
    engine: Recorder

    async def hear(self, request: Request | str) -> list[AssistantEvent]:
        """Every event of one answer."""
        asked = Ask(request) if isinstance(request, str) else request
        self.assistant.begin()
        async with aclosing(self.assistant.answer(asked)) as events:
            return [event async for event in events]

    def roles(self) -> list[str]:
        """Who said the messages of the chat."""
        return [node.role for node in self.assistant.path]

    def results(self) -> list[MessageNode]:
        """What the tools said."""
        return [node for node in self.assistant.path if node.role == "tool"]


@asynccontextmanager
async def looking_up(
    folder: Path,
    *replies: Reply,
    has_tools: bool = True,
    style: AnswerStyle | None = None,
    window: int = 8192,
    load_seconds: float = 0.0,
) -> AsyncIterator[LookingUp]:
    """Open it; the wiki has two pages of the user's."""
    model = folder / "scripted-model"
    model.mkdir(exist_ok=True)
    wishes = ScriptedModel(load_seconds, has_tools=has_tools, context_window=window)
    (model / "config.json").write_bytes(msgspec.json.encode(wishes))
    script = folder / "script.json"
    script.write_bytes(msgspec.json.encode(replies))
    config = EngineConfig(str(folder / "cache"), script=str(script))
    wiki = OpenWiki(folder)
    wiki.vault.create("Lens", "articles", text=LENS)
    wiki.vault.create("Bag", "articles", text=BAG)
    async with EngineClient(EngineLaunch(config, SCRIPTED_MODULE), lambda _: None) as engine:
        loading = asyncio.create_task(engine.load(str(model)))
        if not load_seconds:
            await loading
        recorder = Recorder(engine)
        assistant = Assistant(recorder, style or AnswerStyle(), chats=StoredChats(folder / "data"))
        assistant.tools = ToolDesk(wiki, engine.model)
        yield LookingUp(assistant, wiki, recorder)
        await assistant.close()
    await asyncio.gather(loading, return_exceptions=True)
    wiki.vault.close()
