"""What the list of chats answers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OpenChat:
    """Go on with a chat, at a message when one was found."""

    id: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class NewChat:
    """Begin another chat."""

    is_temporary: bool = False


ChatChosen = OpenChat | NewChat
