"""What of the wiki goes with the question of `zib ask`. The wiki is only read, and none is made."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.client import EngineClient
from tui.assistant.recall.desk import Looked, RecallDesk
from tui.assistant.recall.record import Source, record_of, sources_of_records, sources_read
from tui.cli.ask_tools import CommandWiki
from vault.conversations.values import MessageNode
from vault.errors import VaultError

if TYPE_CHECKING:
    from tui.wiring import Wiring

_PATIENCE_SECONDS = 30.0


class AskedRecall:
    """Reads the wiki while the model loads; `was_wished` on the command line, or by habit."""

    def __init__(self, wiki: CommandWiki, tokens: int | None, *, was_wished: bool) -> None:
        """`tokens` is the user's own budget."""
        self.wiki = wiki
        self._tokens = tokens
        self._was_wished = was_wished
        self._reading = asyncio.create_task(self._read())
        self.sources: tuple[Source, ...] = ()

    async def desk(self, engine: EngineClient) -> RecallDesk:
        """What recalls, with this engine's counts."""
        await self._reading
        desk = RecallDesk(self.wiki, engine, self._tokens)
        # Nobody types meanwhile; an index that is made at the first use is there at the next.
        desk.patience = _PATIENCE_SECONDS
        return desk

    def told(self, looked: Looked, path: Sequence[MessageNode] = ()) -> str:
        """A line about it for standard error; empty when there is nothing to tell."""
        alone = (looked.record,) if looked.record is not None else ()
        self.sources = sources_read(path) if path else sources_of_records(alone)
        if looked.record is not None and looked.record.read:
            names = " · ".join(
                f"{each.name} ({each.date})" if each.date else each.name
                for each in looked.record.read
            )
            return f"recalled: {names}"
        if not self._was_wished:
            return ""
        if looked.remark:
            return looked.remark
        if looked.record is not None and looked.record.is_known:
            return "recalled: what the wiki says about this is further up already"
        return "recalled: nothing in the wiki is about this"

    def told_of(self, path: Sequence[MessageNode], remark: str) -> str:
        """The same for what was recalled for the last question of these messages."""
        asked = next((node for node in reversed(path) if node.role == "user"), None)
        return self.told(Looked(record_of(asked) if asked else None, remark), path)

    async def _read(self) -> None:
        try:
            await self.wiki.ask(lambda _: None)
        except VaultError:
            # It is told when it is asked.
            return


def asked_recall(wiring: Wiring, wish: bool | None, *, has_form: bool) -> AskedRecall | None:
    """Without a word on the command line: where there is a wiki, and no form for the answer."""
    tokens = wiring.settings.chat.recall_tokens
    is_usual = not has_form and tokens != 0 and wiring.wiki.root.is_dir()
    if not (is_usual if wish is None else wish):
        return None
    return AskedRecall(CommandWiki(wiring.wiki), tokens, was_wished=wish is not None)
