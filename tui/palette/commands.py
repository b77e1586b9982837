"""Everything the program can do, for the palette."""

from __future__ import annotations

from textual.app import SystemCommand
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from tui.palette.display import COMMANDS_FIRST, command_line
from tui.verbs import VERBS
from vault.search.jump import jump, jump_name
from vault.search.result import Span


class CommandsProvider(Provider):
    """The verbs, in the order of their table, by name or by what they do."""

    async def startup(self) -> None:
        """Which key does what, by the sentences that tell commands apart."""
        actions = {verb.action: verb.help for verb in VERBS}
        self._keys: dict[str, str] = {}
        for active in self.screen.active_bindings.values():
            action = active.binding.action.rpartition(".")[2]
            if action in actions:
                self._keys[actions[action]] = self.app.get_key_display(active.binding)
        self._commands = {each.help: each for each in self.app.get_system_commands(self.screen)}

    async def discover(self) -> Hits:
        """Before anything is typed: all of them."""
        for command in self._commands.values():
            yield DiscoveryHit(self._line(command), command.callback, text=command.title)

    async def search(self, query: str) -> Hits:
        """Those whose name has the letters, or else whose sentence has the words."""
        left = dict(self._commands)
        names = tuple(jump_name(each.help, each.title, each.title) for each in left.values())
        for found in jump(names, query, len(names)):
            command = left.pop(found.path)
            line = self._line(command, found.highlights)
            yield Hit(found.score + COMMANDS_FIRST, line, command.callback, text=command.title)
        words = query.casefold().split()
        for command in left.values():
            if all(word in command.help.casefold() for word in words):
                line = self._line(command)
                yield Hit(COMMANDS_FIRST, line, command.callback, text=command.title)

    def _line(self, command: SystemCommand, spans: tuple[Span, ...] = ()) -> Content:
        return command_line(command.title, spans, command.help, self._keys.get(command.help, ""))
