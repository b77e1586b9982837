"""A title for a chat, by the model that answered in it."""

from __future__ import annotations

import re
import unicodedata

from engine.errors import EngineError
from engine.protocol import NO_REQUEST, Generate, Message, Sampling
from tui.assistant.side_question import RunningEngine, said_by
from tui.assistant.stored_chat import StoredChat
from vault.conversations.values import Chat, MessageNode

MOST_WORDS = 6
_LONGEST = 60
_LONGEST_WORD = 30
_MOST_READ = 600
_MOST_TOKENS = 24
_MOST_QUESTIONS = 3
_LABEL = re.compile(r"[-*#>•\d.)\s]*(?:title|titel|titre|título|标题|题目)\s*[:：]\s*", re.I)
_AROUND = " \t\"'`*_#~“”‘’«»„‚‹›()[]{}<>|.,:;!-–—"
_INSTRUCTION = (
    "Write a title for this conversation: at most six words, in its language, without quotes."
    " Answer with the title alone."
)


def wants_title(chat: StoredChat) -> bool:
    """Whether it is stored, has no title, and was answered for the first time."""
    questions = sum(node.role == "user" for node in chat.path)
    is_answered = any(node.role == "assistant" and node.text.strip() for node in chat.path)
    is_untitled = chat.chat.titled_by == "nobody" and not chat.chat.title
    return not chat.is_temporary and is_untitled and is_answered and questions <= _MOST_QUESTIONS


async def give_title(engine: RunningEngine, chat: StoredChat) -> Chat:
    """Ask for a title when nothing else is computed; the user's own is never replaced.

    Raises ConversationError.
    """
    question = next((node for node in chat.path if node.role == "user"), None)
    answer = next((node for node in chat.path if node.role == "assistant" and node.text), None)
    if question is None or answer is None:
        return chat.chat
    try:
        written = await said_by(engine, _request(question, answer))
    except EngineError:
        # The question's first words stand for it.
        written = ""
    title = clean_title(written) or first_words(question.text)
    if title:
        await chat.run(lambda store: store.chats.rename(chat.id, title, "model"))
    return chat.chat


def clean_title(written: str) -> str:
    """What a model wrote as a title of a few plain words; empty when there is none in it."""
    for line in written.splitlines():
        label = _LABEL.match(line[:_MOST_READ])
        if title := _plain(line[label.end() :] if label else line):
            return title
    return ""


def first_words(question: str) -> str:
    """The beginning of a question as a title."""
    return _plain(" ".join(question[:_MOST_READ].split()))


def _plain(line: str) -> str:
    visible = "".join(
        " " if character.isspace() else character
        for character in line[:_MOST_READ]
        if character.isspace() or not unicodedata.category(character).startswith("C")
    )
    words = visible.strip(_AROUND).split()[:MOST_WORDS]
    title = " ".join(word[:_LONGEST_WORD] for word in words)[:_LONGEST].strip(_AROUND)
    return title if any(map(str.isalnum, title)) else ""


def _request(question: MessageNode, answer: MessageNode) -> Generate:
    told = f"Q: {question.text[:_MOST_READ]}\n\nA: {answer.text[:_MOST_READ]}\n\n{_INSTRUCTION}"
    return Generate(
        NO_REQUEST,
        (Message("user", told),),
        sampling=Sampling(temperature=0.0),
        max_tokens=_MOST_TOKENS,
        thinking=False,
        lane="background",
        is_temporary=True,
    )
