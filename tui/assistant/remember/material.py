"""What is to be remembered, and where it was said."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tui.assistant.auto_title import first_words
from tui.assistant.remember.pictures import without_far_pictures
from tui.text.sanitise import to_display
from vault.article.footnote_edits import conversation_hash
from vault.article.page import parse_article
from vault.conversations.values import MessageNode

MOST_CHARACTERS = 60_000
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s)>\]]+")
_ATX = re.compile(r" {0,3}(#{1,6})(?=[ \t\r\n]|\Z)")
_DEEPEST = 6


class NothingToRemember(Exception):
    """Nothing was proposed; `str()` is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where it was said. `hash` is empty for a chat that leaves no trace; `date` is ISO.

    What was only typed for the wiki, during a chat, was not `is_said` there: no footnote cites it.
    """

    hash: str
    date: str
    is_said: bool = True

    @property
    def citation(self) -> str:
        """As proposals and footnotes cite it."""
        return f"conv:{self.hash}" if self.hash else ""


@dataclass(frozen=True, slots=True)
class Material:
    """Markdown to be added; `title` is what a section or page of its own would be called.

    A statement is a sentence or two that belong among others; anything else gets a section.
    """

    text: str
    title: str
    origin: Origin
    is_statement: bool = True
    reason: str = "Said in a chat"

    @property
    def addresses(self) -> int:
        """How many addresses outside the wiki it names."""
        return len(_ADDRESS.findall(self.text))


def origin_of(node: MessageNode, is_temporary: bool) -> Origin:
    """Where a message was said."""
    cited = "" if is_temporary else conversation_hash(node.id)
    return Origin(cited, f"{node.created:%Y-%m-%d}")


def statement(text: str, origin: Origin) -> Material:
    """What the user said, as it was said. Raises NothingToRemember."""
    text = _checked(text)
    return Material(text, first_words(text), origin, is_statement=text.count("\n\n") < 1)


def answer(text: str, question: str, origin: Origin) -> Material:
    """What a model said. Raises NothingToRemember."""
    text = _checked(text)
    title = first_words(question) or "From a chat"
    return Material(text, title, origin, is_statement=False, reason="An answer from a chat")


def below_level(text: str, level: int) -> str:
    """The text with its headings below a heading of this level."""
    headings = [each for each in parse_article(text).headings if not each.is_nested]
    down = level + 1 - min((each.level for each in headings), default=level + 1)
    if down <= 0:
        return text
    for heading in reversed(headings):
        found = _ATX.match(text, heading.start)
        if found:
            signs = "#" * min(len(found[1]) + down, _DEEPEST)
            text = text[: found.start(1)] + signs + text[found.end(1) :]
    return text


def quoted(text: str) -> str:
    """As a quotation, which nothing in the text can leave."""
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _checked(text: str) -> str:
    """What is proposed of a text: nothing in it is hidden, and nothing is fetched to show it."""
    # What is hidden is dropped or becomes visible: it is to be seen in the difference.
    text = to_display(text).strip()
    if not any(map(str.isalnum, text)):
        raise NothingToRemember("There is nothing in it to remember.")
    if len(text) > MOST_CHARACTERS:
        raise NothingToRemember(
            f"That is too long for one article: at most {MOST_CHARACTERS:,} characters are proposed"
            " at once. Quote the part that matters with /remember."
        )
    return without_far_pictures(text)
