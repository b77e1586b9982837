"""One answer on its way from the engine into the chat."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from engine.protocol import Message
from tui.assistant.collected import Collected
from tui.assistant.memory_tools.calls import Looked, result_draft
from tui.assistant.memory_tools.steps import last_result
from tui.assistant.recall.record import sources_json
from tui.assistant.requests import Ask, Regenerate, Request, Resume, Revise
from vault.conversations.values import EndState, Extras, ToolCall

if TYPE_CHECKING:
    from tui.assistant.answer_writer import AnswerWriter
    from tui.assistant.stored_chat import StoredChat


class Turn:
    """One answer on its way into the chat; `collected` is None until it has begun."""

    def __init__(
        self,
        chat: StoredChat,
        parent: str,
        resumed: str,
        model_name: Callable[[], str],
        *,
        takes_calls: bool = False,
    ) -> None:
        """With `takes_calls` somebody carries out what the model asks for."""
        self.chat = chat
        self._parent, self._resumed = parent, resumed
        self._model_name = model_name
        self._takes_calls = takes_calls
        self._last_result = ""
        self._sources = ""
        self.collected: Collected | None = None
        self._ending: EndState | None = None
        self._beginning: asyncio.Future[AnswerWriter] | None = None

    def messages(self, system_prompt: str) -> tuple[Message, ...]:
        """What the model gets."""
        self._sources = sources_json(self.chat.tree.path(self._parent))
        return self.chat.messages(system_prompt, end=self._resumed or self._parent)

    async def begin(self) -> str:
        """Keep the answer from here on; its id. Raises ConversationError."""
        if self._beginning is None:
            self._beginning = asyncio.ensure_future(self._begun())
        # It is begun once, also when whoever waits for it is being cancelled.
        writer = await asyncio.shield(self._beginning)
        if self.collected is None:
            taken = self._ids_taken() if self._takes_calls else None
            self.collected = Collected(writer, bool(writer.text), taken)
        return writer.id

    @property
    def is_waiting(self) -> bool:
        """Whether the model asked for something and waits."""
        return self.collected is not None and self.collected.is_waiting and not self._ending

    @property
    def last_result(self) -> str:
        """The message after which the model goes on."""
        return self._last_result

    async def keep_calls(self) -> None:
        """Store what was asked for, before anything is looked up. Raises ConversationError."""
        id, collected = await self.begin(), self.collected
        if collected is not None:
            self._last_result = id
            extras = self._extras(collected)
            await self.chat.run(lambda store: store.messages.amend(id, extras), is_branch_kept=True)

    async def keep_result(self, call: ToolCall, looked: Looked) -> None:
        """Store what a call brought. Raises ConversationError."""
        draft = result_draft(call, looked)
        self._last_result = (await self.chat.add(draft, self._last_result)).id

    def stop(self) -> None:
        """The user ended it while something was looked up."""
        self._ending = "stopped"

    def _ids_taken(self) -> frozenset[str]:
        path = self.chat.tree.path(self._parent)
        return frozenset(call.id for node in path for call in node.extras.tool_calls)

    async def _begun(self) -> AnswerWriter:
        if self._resumed:
            return await self.chat.resume(self._resumed)
        return await self.chat.answer(self._model_name(), self._parent)

    def fail(self) -> None:
        """It ended by an error."""
        self._ending = "failed"

    async def end(self) -> None:
        """Keep how it ended, also when its reader is gone. Raises ConversationError."""
        await self.begin()
        if self._beginning is not None and self.collected is not None:
            writer, collected = await self._beginning, self.collected
            await writer.finish(self._ending or collected.state, self._extras(collected))

    def _extras(self, collected: Collected) -> Extras:
        return replace(collected.extras, recalled=self._sources)


async def placed(chat: StoredChat, request: Request) -> tuple[str, str]:
    """The question's id, stored before anything else, and that of an answer that goes on."""
    match request:
        case Ask(question=question):
            # After what this window shows: where another one went on meanwhile it is a branch.
            above = chat.path[-1].id if chat.path else ""
            return (await chat.ask(question, parent=above)).id, ""
        case Revise(message=message, question=question):
            return (await chat.revise(message, question)).id, ""
        case Regenerate(message=message):
            return message, ""
        case Resume(message=message):
            node = chat.tree.get(message)
            above = chat.tree.parent(message)
            if node is not None and node.extras.tool_calls:
                return last_result(chat.tree, message), ""
            if node is not None and not node.text and _is_result(chat, above):
                return above, ""
            return above, message
        case _:
            assert_never(request)


def _is_result(chat: StoredChat, message: str) -> bool:
    node = chat.tree.get(message)
    return node is not None and node.role == "tool"
