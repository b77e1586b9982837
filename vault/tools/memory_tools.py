"""Answers the memory tools. Every call blocks; any thread may make it, one at a time."""

from collections.abc import Callable
from dataclasses import dataclass

import apsw

from vault.errors import ToolRefused, VaultError
from vault.tools import looking, overview, reading
from vault.tools.arguments import Arguments
from vault.tools.asked import Asked
from vault.tools.budget import Budget
from vault.tools.cutting import clipped, size_of
from vault.tools.offer import (
    LINKS,
    LIST,
    MEMORY_TOOLS,
    READ,
    SEARCH,
    SECTION,
    STATUS,
    TOC,
    Tool,
)
from vault.tools.pages import Pages
from vault.tools.wording import Clean, Wording
from vault.vault import Vault

NO_WIKI = "There is no wiki yet. The user can make one with: zib memory init"
_LONGEST_ERROR = 700
_CUT = "\n(cut here: it has no more room in this turn)"
_TOOLS = {tool.name: tool for tool in MEMORY_TOOLS}
_ANSWERS: dict[str, Callable[[Asked], str]] = {
    SEARCH: looking.search,
    READ: reading.read_page,
    TOC: reading.page_toc,
    SECTION: reading.page_section,
    LINKS: overview.links,
    LIST: overview.list_pages,
    STATUS: overview.status,
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool says. An error is a text too, which tells how to go on."""

    text: str
    is_error: bool = False


class MemoryTools:
    """Reads the wiki that `opened` gives, within a budget; None means that there is none yet.

    `clean` takes out of the wiki's texts what must not reach the reader. Nothing is written, and
    nothing outside the wiki is read.
    """

    def __init__(
        self, opened: Callable[[], Vault | None], budget: Budget, clean: Clean = str
    ) -> None:
        self._opened = opened
        self._budget = budget
        self._wording = Wording(clean)
        self._pages: Pages | None = None
        self._pages_version: tuple[tuple[int, int, int], str] | None = None

    def call(self, name: str, arguments: object) -> str:
        """Answer one call of a tool; never raises."""
        return self.answer(name, arguments).text

    def answer(self, name: str, arguments: object, scope: str = "") -> Answer:
        """Answer one call and say whether it went wrong; never raises.

        With a `scope` such as `tag:trip` only its pages are known.
        """
        if self._budget.is_used_up:
            return Answer("Enough was looked up for this turn: answer with what you have.", True)
        try:
            answer = Answer(self._told(name, arguments, scope))
        except VaultError as error:
            answer = Answer(self._wording.line(str(error), _LONGEST_ERROR), True)
        except (apsw.Error, OSError) as error:
            reason = self._wording.line(str(error))
            answer = Answer(f"The wiki could not be asked ({reason}). Try {STATUS}.", True)
        self._budget.spend(size_of(answer.text))
        return answer

    def _told(self, name: str, arguments: object, scope: str) -> str:
        tool = _TOOLS.get(name)
        if tool is None:
            raise ToolRefused(f"There is no tool “{name}”. There are: {', '.join(_TOOLS)}.")
        asked = self._asked(tool, arguments, scope)
        text = _ANSWERS[tool.name](asked).encode("utf-8", "replace").decode()
        if size_of(text) <= asked.room:
            return text
        return clipped(text, asked.room - size_of(_CUT)) + _CUT

    def _asked(self, tool: Tool, arguments: object, scope: str) -> Asked:
        read = Arguments(tool, {} if arguments is None else arguments)
        vault = self._opened()
        if vault is None:
            raise ToolRefused(NO_WIKI)
        pages = self._known_pages(vault, scope)
        return Asked(vault, pages, self._wording, read, self._budget, scope)

    def _known_pages(self, vault: Vault, scope: str) -> Pages:
        index = vault.index
        version = (index.version, scope)
        if self._pages is None or version != self._pages_version:
            within = vault.search.paths_within(scope) if scope else None
            self._pages, self._pages_version = Pages(index, within), version
        return self._pages
