"""What the user can want of the model in a chat."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ask:
    """Answer a new question at the end of what is shown."""

    question: str


@dataclass(frozen=True, slots=True)
class Revise:
    """Answer another version of a question, as a branch."""

    message: str
    question: str


@dataclass(frozen=True, slots=True)
class Regenerate:
    """Answer a question once more, beside the answers it has; `message` is the question."""

    message: str


@dataclass(frozen=True, slots=True)
class Resume:
    """Go on with an answer that ended early."""

    message: str


Request = Ask | Revise | Regenerate | Resume
