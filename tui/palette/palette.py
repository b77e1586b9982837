"""The command palette, which takes Enter to mean what was typed."""

from __future__ import annotations

from textual import on, work
from textual.command import CommandPalette
from textual.widgets import Input
from textual.worker import WorkerCancelled


class Palette(CommandPalette):
    """As Textual's; but Enter waits for the answers to what was typed before it.

    Textual's runs whatever is lit just then, which may be what was found for less of the text.
    """

    def __init__(self) -> None:
        super().__init__(placeholder="Commands, articles, headings", id="--command-palette")

    @on(Input.Submitted)
    def wait_for_answers(self, event: Input.Submitted) -> None:
        """Choose once all have answered."""
        event.stop()
        event.prevent_default()
        self._choose_then()

    @work(exclusive=True, group="palette-choose")
    async def _choose_then(self) -> None:
        for worker in list(self.workers):
            if worker.node is self and worker.group == self._GATHER_COMMANDS_GROUP:
                try:
                    await worker.wait()
                except WorkerCancelled:
                    continue
        self._select_or_command()
