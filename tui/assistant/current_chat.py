"""The chat that is open: which one, how it is answered, and what leaving it means."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from engine.errors import EngineError
from tui.assistant.sampling_choice import kept_sampling
from tui.assistant.stored_chats import StoredChats
from vault.conversations.errors import ConversationError
from vault.conversations.values import DEFAULT_OPTIONS, ChatOptions, MessageNode

if TYPE_CHECKING:
    from tui.assistant.stored_chat import StoredChat


class CurrentChat:
    """`chat` is None until something is asked; `chats` are all there are."""

    def __init__(self, forget: Callable[[str], Awaitable[int]], chats: StoredChats) -> None:
        """`forget` drops what the engine has read of a chat."""
        self.chats = chats
        self.chat: StoredChat | None = None
        self._forget_in_engine = forget
        self._options, self._is_temporary = DEFAULT_OPTIONS, False
        self.thinking: bool | None = None
        self._usual_thinking: bool | None = None
        self._is_thinking_of_chat = False

    @property
    def path(self) -> tuple[MessageNode, ...]:
        """The messages that are shown, from the first to the last."""
        return self.chat.path if self.chat else ()

    @property
    def is_temporary(self) -> bool:
        """Whether the user wants the chat to leave no trace."""
        return self._is_temporary

    @property
    def trouble(self) -> str:
        """Why the chat is only in memory, though it should be stored."""
        return self.chat.trouble if self.chat else ""

    def toggle_thinking(self) -> None:
        """Forbid thinking, ask for it, leave it to the model."""
        self.thinking = {None: False, False: True, True: None}[self.thinking]

    async def start_new_chat(
        self, options: ChatOptions = DEFAULT_OPTIONS, is_temporary: bool = False
    ) -> None:
        """Leave this chat for one that begins with its first question."""
        await self._leave_chat()
        self._options, self._is_temporary = options, is_temporary
        self._think_as(options)

    async def open_chat(self, id: str) -> StoredChat:
        """Go on with a stored chat. Raises ConversationError."""
        return await self.go_on_with(await self.chats.open(id))

    async def go_on_with(self, chat: StoredChat) -> StoredChat:
        """Go on with a chat that is open already."""
        await self._leave_chat()
        self.chat, self._options = chat, chat.chat.options
        self._is_temporary = chat.is_temporary and not chat.trouble
        self._think_as(self._options)
        return chat

    @property
    def options(self) -> ChatOptions:
        """How this chat is answered, where it has a way of its own."""
        return self.chat.chat.options if self.chat else self._options

    async def set_options(self, options: ChatOptions) -> None:
        """Answer this chat so from now on. Raises ConversationError."""
        chat, self._options = self.chat, options
        if chat is not None:
            await chat.run(
                lambda store: store.chats.set_options(chat.id, options), is_branch_kept=True
            )
        self._think_as(options)

    async def forget_read(self) -> None:
        """Something of the chat was deleted: the engine need not remember it."""
        if self.chat is not None:
            await self._forget(self.chat.id)

    async def settle(self) -> None:
        """Have the engine forget chats that were deleted."""
        try:
            await self.chats.settle(self._forget_in_engine)
        except (ConversationError, EngineError):
            # The store still says what is owed.
            return

    async def _leave_chat(self) -> None:
        left, self.chat = self.chat, None
        self._options, self._is_temporary = DEFAULT_OPTIONS, False
        if left is not None and left.is_temporary:
            await self._forget(left.id)

    def _think_as(self, options: ChatOptions) -> None:
        chosen = kept_sampling(options.sampling).thinking
        if chosen is not None:
            if not self._is_thinking_of_chat:
                self._usual_thinking = self.thinking
            self.thinking = chosen
        elif self._is_thinking_of_chat:
            self.thinking = self._usual_thinking
        self._is_thinking_of_chat = chosen is not None

    async def _forget(self, conversation: str) -> None:
        try:
            await self._forget_in_engine(conversation)
        except EngineError:
            # An engine that is gone remembers nothing.
            return
