"""A look-up in a line, which opens to what was found."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tui.assistant.memory_tools.articles import NamedArticle, articles_of
from tui.assistant.memory_tools.calls import Looked
from tui.markdown.address import wiki_address
from tui.messages import LinkFollowed
from tui.text.content import literal, literal_line
from tui.widgets.chat.tool_wording import card_line
from vault.conversations.values import ToolCall

_MOST_LINKS = 8


class ArticleName(Static):
    """The name of an article that was looked at; a click opens it."""

    def __init__(self, article: NamedArticle) -> None:
        super().__init__(
            Content.assemble("→ ", literal_line(article.title, 40)), classes="tool-article"
        )
        self._article = article

    def on_click(self, event: events.Click) -> None:
        """Open it."""
        event.stop()
        self.post_message(LinkFollowed(wiki_address(self._article.path)))


class CardHead(Static):
    """The line itself; a click opens the card and closes it."""

    def on_click(self, event: events.Click) -> None:
        """The message below need not be chosen for that."""
        event.stop()
        if isinstance(self.parent, ToolCard):
            self.parent.unfold(not self.parent.is_open)


class ToolCard(Vertical):
    """One call and, once it is there, its result."""

    def __init__(self, call: ToolCall, looked: Looked | None, is_running: bool = False) -> None:
        super().__init__(classes="tool-card")
        self.call = call
        self.looked = looked
        self._is_running = is_running
        self.is_open = False
        self._head = CardHead(Content(""), classes="tool-head")
        self._body: VerticalScroll | None = None

    def compose(self) -> ComposeResult:
        """The line; what it opens to is made when it is wanted."""
        yield self._head

    def on_mount(self) -> None:
        """Say what is known."""
        self._show()

    @property
    def articles(self) -> tuple[NamedArticle, ...]:
        """The articles that were looked at."""
        return articles_of(self.call, self.looked) if self.looked is not None else ()

    def take(self, looked: Looked) -> None:
        """The result is there."""
        self.looked = looked
        self._is_running = False
        self._show()

    def end(self) -> None:
        """Nothing more comes."""
        self._is_running = False
        self._show()

    def unfold(self, is_open: bool) -> None:
        """Show what was found, or fold it away."""
        if self.looked is None:
            return
        self.is_open = is_open
        if is_open and self._body is None:
            names = [ArticleName(each) for each in self.articles[:_MOST_LINKS]]
            row = [Horizontal(*names, classes="tool-articles")] if names else []
            text = Static(literal(self.looked.text))
            self._body = VerticalScroll(*row, text, classes="tool-body", can_focus=False)
            self.mount(self._body)
        if self._body is not None:
            self._body.display = is_open
        self._show()

    def _show(self) -> None:
        line = card_line(self.call, self.looked, self._is_running, self.is_open)
        self._head.update(literal_line(line))
        self.set_class(self.looked is not None and self.looked.is_error, "-failed")
