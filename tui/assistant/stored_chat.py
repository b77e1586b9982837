"""The chat on the screen, kept in a store; when the store fails it goes on in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from engine.protocol import Message
from tui.assistant.answer_writer import AnswerWriter
from tui.assistant.chat_messages import Render, model_messages
from tui.assistant.recall.record import with_recalled
from tui.assistant.safe_store import SafeStore
from vault.conversations.exporting import ChatDocument, chat_document
from vault.conversations.store import Conversations
from vault.conversations.tree import ChatTree
from vault.conversations.values import (
    DEFAULT_OPTIONS,
    NO_EXTRAS,
    Chat,
    ChatOptions,
    Deleted,
    Draft,
    Extras,
    MessageNode,
)

Answer = TypeVar("Answer")


class StoredChat:
    """One chat, used from one event loop; the store's calls run in threads.

    `tree` is what is stored.
    """

    def __init__(self, store: Conversations, chat: Chat, tree: ChatTree) -> None:
        self.chat, self.tree = chat, tree
        self._kept = SafeStore(store, chat.id)
        self._writers: dict[str, AnswerWriter] = {}

    @classmethod
    async def new(cls, store: Conversations, options: ChatOptions = DEFAULT_OPTIONS) -> StoredChat:
        """A chat without messages. Raises ConversationError."""
        chat = await asyncio.to_thread(store.chats.create, options)
        return cls(store, chat, ChatTree((), ""))

    @classmethod
    async def open(cls, store: Conversations, id: str) -> StoredChat:
        """A chat that is there. Raises ConversationError."""

        def read() -> tuple[Chat, ChatTree]:
            # A window that wrote an answer of it may be gone since the store was opened.
            store.answers.recover()
            return store.chats.get(id), store.messages.tree(id)

        return cls(store, *await asyncio.to_thread(read))

    @property
    def id(self) -> str:
        """Names the chat, and its KV cache in the engine."""
        return self.chat.id

    @property
    def is_temporary(self) -> bool:
        """Whether the user wanted it to touch no disk."""
        return self._kept.is_temporary

    @property
    def trouble(self) -> str:
        """Why the chat is only in memory; empty when all is well."""
        return self._kept.trouble

    @trouble.setter
    def trouble(self, reason: str) -> None:
        self._kept.trouble = reason

    @property
    def path(self) -> tuple[MessageNode, ...]:
        """The messages that are shown, from the first to the last."""
        return self.tree.path()

    def messages(
        self, system_prompt: str = "", render: Render = with_recalled, end: str | None = None
    ) -> tuple[Message, ...]:
        """What the model gets, down to the message `end`."""
        return model_messages(self.tree.path(end), system_prompt, render)

    async def ask(
        self, question: str, extras: Extras = NO_EXTRAS, parent: str | None = None
    ) -> MessageNode:
        """Store a question before it is answered; `parent` as in `Messages.add`."""
        draft = Draft("user", question, extras=extras)
        return await self.run(lambda store: store.messages.add(self.id, draft, parent))

    async def add(self, draft: Draft, parent: str | None = None) -> MessageNode:
        """Store any other message: a tool's result, an answer that was edited."""
        return await self.run(lambda store: store.messages.add(self.id, draft, parent))

    async def revise(self, message: str, question: str) -> MessageNode:
        """Store another version of a question, as a branch."""
        draft = Draft("user", question)
        return await self.run(lambda store: store.messages.revise(message, draft))

    async def answer(self, model: str = "", parent: str | None = None) -> AnswerWriter:
        """Begin an answer to the last message, or to `parent`, whose others are its siblings."""
        return self._writer(
            await self.run(lambda store: store.answers.begin(self.id, model, parent))
        )

    async def resume(self, message: str) -> AnswerWriter:
        """Go on with an answer that was cut or stopped."""
        return self._writer(await self.run(lambda store: store.answers.resume(message)))

    async def select(self, message: str) -> ChatTree:
        """Show the branch of a message."""
        return await self.run(lambda store: store.messages.select(message))

    async def cut_to(self, message: str) -> ChatTree:
        """Show the chat down to a message; what comes next makes a branch there."""
        return await self.run(lambda store: store.messages.cut_to(message))

    async def delete(self, message: str, has_replies: bool = False) -> Deleted:
        """Put a message into the trash; `restore` undoes it."""
        return await self.run(lambda store: store.messages.delete(message, has_replies))

    async def delete_each(self, messages: Sequence[str]) -> None:
        """Put these messages into the trash, all of them or none."""
        await self.run(lambda store: store.messages.delete_each(messages))

    async def restore(self, messages: Sequence[str]) -> None:
        """Have deleted messages back."""
        await self.run(lambda store: store.messages.restore(messages))

    async def fork(self, message: str) -> StoredChat:
        """A chat of its own that begins with the messages up to this one."""
        forked = await self.run(lambda store: store.chats.fork(self.id, message))
        return await StoredChat.open(self._kept.used, forked.id)

    async def run(
        self, action: Callable[[Conversations], Answer], *, is_branch_kept: bool = False
    ) -> Answer:
        """Do anything with the store, off the loop. Raises ConversationError.

        When the store refuses to be written, the chat is copied into memory and `action` is done
        there. With `is_branch_kept` what is shown here stays, whatever another window shows.
        """
        shown = self.tree.leaf

        def act(store: Conversations) -> tuple[Answer, tuple[Chat, ChatTree]]:
            return action(store), self._read(store)

        answer, (self.chat, tree) = await self._attempt(act)
        is_elsewhere = is_branch_kept and tree.get(shown) is not None and tree.leaf != shown
        self.tree = ChatTree(tree.all, shown) if is_elsewhere else tree
        return answer

    async def retry_saving(self) -> bool:
        """Try to put a chat that is only in memory back on the disk; not during an answer."""
        found = await self._kept.put_back(self._known, self._read)
        if found is not None:
            self.chat, self.tree = found
        return not self.trouble

    async def _attempt(self, action: Callable[[Conversations], Answer]) -> Answer:
        return await self._kept.run(action, self._known)

    def _read(self, store: Conversations) -> tuple[Chat, ChatTree]:
        return store.chats.get(self.id), store.messages.tree(self.id)

    def _known(self) -> tuple[ChatDocument, Sequence[str]]:
        """The chat here, answers under way as far as they were written, and which those are."""
        document = chat_document(self.chat, self.tree)
        messages = tuple(map(self._as_written, document.messages))
        return replace(document, messages=messages), tuple(self._writers)

    def _as_written(self, node: MessageNode) -> MessageNode:
        writer = self._writers.get(node.id)
        if writer is None:
            return node
        return replace(node, text=writer.text, thinking=writer.thinking)

    def _writer(self, node: MessageNode) -> AnswerWriter:
        async def append(action: Callable[[Conversations], None]) -> None:
            # Nothing but the end of the answer changes, so the tree is not read each time.
            await self._attempt(action)

        async def end(action: Callable[[Conversations], MessageNode]) -> MessageNode:
            ended = await self.run(action, is_branch_kept=True)
            self._writers.pop(node.id, None)
            return ended

        self._writers[node.id] = writer = AnswerWriter(node, append, end)
        return writer
