"""What waits while an answer is written, and the line that shows it."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from tui.assistant.requests import Ask, Request
from tui.text.content import literal_line

_CELLS = 60


class Waiting(Static):
    """Requests in line, the first first; or what the prompt is being used for."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(Content(""), id=id)
        self._requests: list[Request] = []
        self._remark = ""
        self.display = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits."""
        return not self._requests

    def put(self, request: Request) -> None:
        """Let one wait."""
        self._requests.append(request)
        self._show()

    def take_first(self) -> Request:
        """The one whose turn it is."""
        request = self._requests.pop(0)
        self._show()
        return request

    def take_last_question(self) -> str:
        """The question that would come last, which waits no longer; empty without one."""
        asked = [each for each in self._requests if isinstance(each, Ask)]
        if not asked:
            return ""
        self._requests.remove(asked[-1])
        self._show()
        return asked[-1].question

    def take_all_questions(self) -> list[str]:
        """Everything; nothing waits any longer."""
        asked = [each.question for each in self._requests if isinstance(each, Ask)]
        self._requests = []
        self._show()
        return asked

    def remark(self, text: str) -> None:
        """Say what the next thing sent will be; empty for an ordinary question."""
        self._remark = text
        self._show()

    def _show(self) -> None:
        asked = [each.question for each in self._requests if isinstance(each, Ask)]
        self.display = bool(asked or self._remark)
        if asked:
            more = f" (+{len(asked) - 1} more)" if len(asked) > 1 else ""
            self.update(
                Content.assemble("next: ", literal_line(asked[0], _CELLS), more, " · ↑ edits")
            )
        elif self._remark:
            self.update(literal_line(self._remark))
