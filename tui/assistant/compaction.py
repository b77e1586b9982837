"""Has the model sum up the beginning of a chat, so that it fits the context window again."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import EngineError
from engine.protocol import NO_REQUEST, Generate, Message
from tui.assistant.chat_messages import model_messages
from tui.assistant.seam import read_from_seam, seam_draft, with_summary
from tui.assistant.side_question import RunningEngine, said_by
from tui.assistant.stored_chat import StoredChat
from tui.assistant.style import AnswerStyle
from vault.conversations.values import MessageNode

KEPT_QUESTIONS = 2
_MOST_TOKENS = 600
_INSTRUCTION = (
    "Sum up the conversation so far for yourself: what was asked and answered, every name, number,"
    " decision and code identifier that may matter later, and what is still open. At most 300"
    " words, in the language of the conversation. Write the summary alone."
)


class NothingToCompact(Exception):
    """It was not done; `str()` is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class Compaction:
    """The messages to be summed up, and the first that stays as it is."""

    summed_up: tuple[MessageNode, ...]
    kept_from: str


def plan_compaction(path: tuple[MessageNode, ...]) -> Compaction:
    """Leave the last questions as they are. Raises NothingToCompact."""
    _, read = read_from_seam(path)
    questions = [at for at, node in enumerate(read) if node.role == "user"]
    if len(questions) <= KEPT_QUESTIONS:
        raise NothingToCompact(
            f"There is nothing to sum up: the last {KEPT_QUESTIONS} questions stay as they are."
        )
    first = questions[-KEPT_QUESTIONS]
    return Compaction(read[:first], read[first].id)


async def compact(
    engine: RunningEngine, chat: StoredChat, style: AnswerStyle, model: str, *, is_temporary: bool
) -> MessageNode:
    """Store a seam at the end of what is shown; nothing else of the chat changes.

    Raises NothingToCompact, ConversationError.
    """
    plan = plan_compaction(chat.path)
    own = style.of_chat(chat.chat.options)
    summary, _ = read_from_seam(chat.path)
    messages = model_messages(plan.summed_up, with_summary(own.system_prompt, summary))
    request = Generate(
        NO_REQUEST,
        (*messages, Message("user", _INSTRUCTION)),
        chat.id,
        own.sampling,
        _MOST_TOKENS,
        thinking=False,
        is_temporary=is_temporary,
    )
    leaf = chat.tree.leaf
    try:
        written = (await said_by(engine, request)).strip()
    except EngineError as error:
        raise NothingToCompact(f"The chat was not summed up: {error}") from error
    if not written:
        raise NothingToCompact("There is no summary, so nothing was changed.")
    if chat.tree.leaf != leaf:
        raise NothingToCompact("The chat went on meanwhile, so nothing was changed.")
    return await chat.add(seam_draft(written, plan.kept_from, model))
