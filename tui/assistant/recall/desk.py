"""Recalls what belongs to a question before it is answered, and keeps it with the question."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from engine.errors import EngineError
from engine.protocol import ModelInfo, Usage
from tui.assistant.recall.record import Record
from tui.assistant.wiki_reader import WikiReader
from vault.conversations.values import ChatOptions, MessageNode
from vault.errors import VaultError

if TYPE_CHECKING:
    from tui.assistant.recall.earlier import Earlier
    from tui.assistant.stored_chat import StoredChat
    from vault.recall.values import Recalled

_PATIENCE_SECONDS = 0.5
_FEWEST_MEASURED = 64
_OFF = "memory is off in this chat; /memory turns it on"
_LATE = "the wiki is still being read; answered without memory"


class CountingEngine(Protocol):
    """The part of `EngineClient` that recall needs."""

    async def model(self) -> ModelInfo:
        """The model that answers; waits while one is coming. Raises EngineError."""

    async def count_tokens(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Token counts from the loaded model's tokenizer. Raises EngineError."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What goes with a question, and what there is to tell the user, once."""

    record: Record | None = None
    remark: str = ""


class RecallDesk:
    """Asks the wiki, for a fraction of a second at most; `tokens` is the user's own budget."""

    def __init__(self, wiki: WikiReader, engine: CountingEngine, tokens: int | None = None) -> None:
        self._wiki = wiki
        self._engine = engine
        self._tokens = tokens
        self._prefill_tps = 0.0
        self._told = ""
        self.patience = _PATIENCE_SECONDS

    def has_memory(self, options: ChatOptions) -> bool:
        """Whether anything is looked for in a chat."""
        return options.has_memory and self._tokens != 0

    def take_speed(self, usage: Usage) -> None:
        """An answer ended: so fast its prompt was read."""
        if usage.prompt_tokens - usage.reused_tokens >= _FEWEST_MEASURED and usage.prefill_tps > 0:
            self._prefill_tps = usage.prefill_tps

    async def recall(self, chat: StoredChat, question: str) -> Looked:
        """Recall for a stored question, unless that was done; it is kept with it.

        Raises ConversationError.
        """
        node, options = chat.tree.get(question), chat.chat.options
        if node is None or node.role != "user" or node.extras.recalled:
            return Looked()
        if not self.has_memory(options):
            return Looked(remark="" if options.has_memory else self._once(_OFF))
        looked = await self.look(node.text, chat.tree.path(question)[:-1], options.memory_scope)
        if looked.record is not None:
            extras = replace(node.extras, recalled=looked.record.to_json())
            await chat.run(
                lambda store: store.messages.amend(question, extras), is_branch_kept=True
            )
        return looked

    async def look(
        self, question: str, path: Sequence[MessageNode] = (), scope: str = ""
    ) -> Looked:
        """Recall for any question that follows these messages. Never raises."""
        # The wiki is not needed for the first frame, and takes its time to import.
        from tui.assistant.recall.earlier import Earlier
        from vault.recall.values import Wish

        earlier = Earlier(path)
        wish = Wish(question, earlier.question, scope)
        try:
            async with asyncio.timeout(self.patience):
                found = await self._wiki.ask(lambda vault: vault.recall.find(wish))
        except TimeoutError:
            return Looked(remark=self._once(_LATE))
        except VaultError as error:
            return Looked(remark=self._once(f"answered without memory: {error}"))
        self._told = ""
        try:
            return Looked(await self._chosen(earlier, found))
        except EngineError:
            # Who answers is gone, which the answer will say.
            return Looked()

    async def _chosen(self, earlier: Earlier, found: Recalled) -> Record | None:
        from tui.assistant.recall.choosing import budget, choose
        from tui.assistant.recall.wording import NOTHING, VERSION

        wanted = [each for each in found.candidates if earlier.is_wanted(each)]
        pinned = earlier.pinned
        if wanted or pinned:
            model = await self._engine.model()
            most = budget(self._tokens, self._speed(model), model.context_limit)
            record = await choose(pinned, wanted, most, self._engine.count_tokens)
            if record is not None:
                return record
        if found.candidates:
            # Without room for any passage there is nothing to tell.
            return Record(VERSION, is_known=not wanted)
        return Record(VERSION, line=NOTHING) if found.words else None

    def _speed(self, model: ModelInfo) -> float:
        predicted = model.plan.predicted_prefill_tps if model.plan else None
        return self._prefill_tps or predicted or 0.0

    def _once(self, remark: str) -> str:
        was_told, self._told = self._told == remark, remark
        return "" if was_told else remark
