"""`zib ask --tools`: the model looks things up in the wiki before it answers.

The wiki is only read, and none is made; what is looked up goes to standard error.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from engine.errors import EngineStopped
from engine.protocol import FinishReason, Usage
from tui.assistant.assistant import Assistant
from tui.assistant.events import Answered, AnswerFailed, Recalled, Said, ToolAnswered, ToolAsked
from tui.assistant.memory_tools.calls import Looked
from tui.assistant.memory_tools.tool_desk import ToolDesk
from tui.assistant.stored_chats import StoredChats
from tui.assistant.style import AnswerStyle
from tui.cli.looked_up import LookedUp
from tui.widgets.chat.tool_wording import call_words, size_words, time_words
from vault.conversations.values import ChatOptions, ToolCall
from vault.errors import ToolRefused
from vault.tools.memory_tools import NO_WIKI
from vault.tools.read_only import ReadOnlyWiki

if TYPE_CHECKING:
    from engine.client import EngineClient
    from tui.cli.ask_chat import AskedChat
    from tui.cli.ask_recall import AskedRecall
    from tui.cli.output import AnswerPrinter
    from vault.root import WikiLocation
    from vault.vault import Vault

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """How it ended, and what was looked up; `chat` is the one it is stored in."""

    reason: FinishReason
    usage: Usage
    thinking: str
    calls: tuple[LookedUp, ...]
    chat: str = ""


@dataclass(frozen=True, slots=True)
class Given:
    """What the command line says; a chat keeps its own instructions unless `has_prompt`."""

    question: str
    style: AnswerStyle
    model: str
    has_prompt: bool


class CommandWiki:
    """The wiki at a place, read by one question at a time."""

    def __init__(self, location: WikiLocation) -> None:
        self._wiki = ReadOnlyWiki(location.root, location.data_dir)
        self._in_use = threading.Lock()

    async def ask(self, question: Callable[[Vault], Found]) -> Found:
        """Run `question` in a thread. Raises VaultError."""

        def answer() -> Found:
            # Who asked before may have given up waiting, but reads on.
            with self._in_use:
                vault = self._wiki.opened()
                if vault is None:
                    raise ToolRefused(NO_WIKI)
                return question(vault)

        return await asyncio.to_thread(answer)


class _GivenStyle(AnswerStyle):
    def of_chat(self, options: ChatOptions) -> AnswerStyle:
        return AnswerStyle.of_chat(self, replace(options, system_prompt=""))


async def answer_with_tools(
    engine: EngineClient,
    location: WikiLocation,
    given: Given,
    chat: AskedChat | None,
    printer: AnswerPrinter,
    note: Callable[[str], None],
    recall: AskedRecall | None = None,
) -> ToolAnswer:
    """Stream the answer. Raises EngineError, VaultError."""
    style = given.style
    if given.has_prompt:
        style = _GivenStyle(style.system_prompt, style.sampling, style.max_tokens, style.stop)
    chats = StoredChats(store=chat.store) if chat else StoredChats()
    assistant = Assistant(engine, style, chats=chats, model_name=lambda: given.model)
    wiki = recall.wiki if recall is not None else CommandWiki(location)
    assistant.tools = ToolDesk(wiki, engine.model)
    if recall is not None:
        assistant.recall = await recall.desk(engine)
    if chat is not None and chat.chat is not None:
        await assistant.go_on_with(chat.chat)
    elif chat is not None:
        prompt = given.style.system_prompt
        await assistant.start_new_chat(ChatOptions(system_prompt=prompt, model=given.model))
    try:
        done = await _heard(assistant, given.question, printer, note, recall)
    finally:
        if chat is not None:
            chat.chat = assistant.chat
        await assistant.close()
    return replace(done, chat=chat.stored_id if chat else "")


async def _heard(
    assistant: Assistant,
    question: str,
    printer: AnswerPrinter,
    note: Callable[[str], None],
    recall: AskedRecall | None,
) -> ToolAnswer:
    thinking: list[str] = []
    asked: dict[str, ToolCall] = {}
    calls: list[LookedUp] = []
    ending: Answered | None = None
    assistant.begin()
    async with aclosing(assistant.ask(question)) as events:
        async for event in events:
            match event:
                case Recalled(remark=remark):
                    if recall is not None and (told := recall.told_of(assistant.path, remark)):
                        note(told)
                case Said(text=text, span="thinking"):
                    thinking.append(text)
                case Said(text=text):
                    printer.write(text)
                case ToolAsked(call=id, name=name, arguments=arguments):
                    asked[id] = ToolCall(name, arguments, id)
                case ToolAnswered():
                    looked = Looked(event.text, event.is_error, event.seconds)
                    call = asked[event.call]
                    note(_told(call, looked))
                    calls.append(LookedUp(call.name, call.arguments, looked.text, looked.is_error))
                case Answered():
                    ending = event
                case AnswerFailed(message=message):
                    raise EngineStopped(message)
    if ending is None:
        raise EngineStopped("The engine ended the answer without saying why.")
    return ToolAnswer(ending.reason, ending.usage, "".join(thinking), tuple(calls))


def _told(call: ToolCall, looked: Looked) -> str:
    if looked.is_error:
        return f"{call_words(call)} · {looked.text}"
    return f"{call_words(call)} · {size_words(looked.text)} · {time_words(looked.seconds)}"
