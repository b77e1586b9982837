"""Messages that cross the screen: facts in the past tense, wishes as verbs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from engine.models.builtin_source import FetchProgress
from engine.protocol import MemoryReport
from engine.status import EngineStatus

if TYPE_CHECKING:
    from tui.wiki_facts import WikiFacts


class EngineStatusChanged(Message):
    """The engine process or its model changed state."""

    def __init__(self, status: EngineStatus) -> None:
        super().__init__()
        self.status = status


class MemoryReported(Message):
    """The engine reported what it costs."""

    def __init__(self, report: MemoryReport) -> None:
        super().__init__()
        self.report = report

    def can_replace(self, message: Message) -> bool:
        """Only the newest report matters."""
        return isinstance(message, MemoryReported)


class ModelFetched(Message):
    """The built-in model is being fetched."""

    def __init__(self, progress: FetchProgress) -> None:
        super().__init__()
        self.progress = progress

    def can_replace(self, message: Message) -> bool:
        """Only the newest progress matters."""
        return isinstance(message, ModelFetched)


class ModelMissed(Message):
    """There is no model to talk to, and why."""

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.reason = reason


class WikiOpened(Message):
    """A wiki is there, or changed."""

    def __init__(self, facts: WikiFacts) -> None:
        super().__init__()
        self.facts = facts


class WikiWanted(Message):
    """An article is about to be shown: the wiki must be seen."""


class LinkFollowed(Message):
    """A link in some text was chosen; `from_path` is the article it stands in, or empty."""

    def __init__(self, href: str, from_path: str = "") -> None:
        super().__init__()
        self.href = href
        self.from_path = from_path
