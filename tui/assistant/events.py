"""What happens while the assistant answers; screens only draw these."""

from __future__ import annotations

from dataclasses import dataclass

from engine.protocol import FinishReason, Span, Usage


@dataclass(frozen=True, slots=True)
class Asked:
    """The question is kept under this id; it comes before anything the model does."""

    question: str


@dataclass(frozen=True, slots=True)
class Recalled:
    """What of the wiki goes with the question is kept with it now; `remark` is for the user."""

    question: str
    remark: str = ""


@dataclass(frozen=True, slots=True)
class AnswerBegun:
    """The answer is kept under this id; its text comes next."""

    answer: str


@dataclass(frozen=True, slots=True)
class PromptRead:
    """The model has read `done` of `total` prompt tokens; `reused` it knew already."""

    done: int
    total: int
    reused: int


@dataclass(frozen=True, slots=True)
class Said:
    """The next piece of the answer or of the thinking before it."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class ToolAsked:
    """The model wants something looked up; `call` is its id, `arguments` a JSON object as text."""

    call: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class StepEnded:
    """The model waits for what it asked for; after the results it goes on in another answer."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class ToolAnswered:
    """A call has its result."""

    call: str
    text: str
    is_error: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer is over."""

    reason: FinishReason
    usage: Usage


@dataclass(frozen=True, slots=True)
class AnswerFailed:
    """The answer ended early; what was said so far is kept."""

    message: str


AssistantEvent = (
    Asked
    | Recalled
    | AnswerBegun
    | PromptRead
    | Said
    | ToolAsked
    | StepEnded
    | ToolAnswered
    | Answered
    | AnswerFailed
)
