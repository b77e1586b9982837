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

    def __init__(self, wiring: Wiring, *, was_wished: bool) -> None:
        self._wiki = CommandWiki(wiring.wiki)
        self._tokens = wiring.settings.chat.recall_tokens
        self._was_wished = was_wished
        self._reading = asyncio.create_task(self._read())
        self.sources: tuple[Source, ...] = ()

    async def desk(self, engine: EngineClient) -> RecallDesk:
        """What recalls, with this engine's counts."""
        await self._reading
        desk = RecallDesk(self._wiki, engine, self._tokens)
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
        return looked.remark or "recalled: nothing in the wiki is about this"

    def told_of(self, path: Sequence[MessageNode]) -> str:
        """The same for what was recalled for the last question of these messages."""
        asked = next((node for node in reversed(path) if node.role == "user"), None)
        return self.told(Looked(record_of(asked) if asked else None), path)

    async def _read(self) -> None:
        try:
            await self._wiki.ask(lambda _: None)
        except VaultError:
            # It is told when it is asked.
            return


def asked_recall(wiring: Wiring, wish: bool | None, *, has_form: bool) -> AskedRecall | None:
    """Without a word on the command line: where there is a wiki, and no form for the answer."""
    if wish is None:
        is_usual = not has_form and wiring.settings.chat.recall_tokens != 0
        wish = is_usual and wiring.wiki.root.is_dir()
        return AskedRecall(wiring, was_wished=False) if wish else None
    return AskedRecall(wiring, was_wished=True) if wish else None
