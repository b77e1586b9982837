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
_LABEL = re.compile(
    r"[-*#>•\d.)\s]*(?:the )?(?:title|topic|titel|thema|titre|título|标题|题目)"
    r"(?: of (?:this|the) conversation)?(?: is\b[:：]?|\s*[:：])\s*",
    re.I,
)
_AROUND = " \t\"'`*_#~“”‘’«»„‚‹›()[]{}<>|.,:;!-–—"
_SHORTEST_TELLING = 4
_STEM = 3
_WORD = re.compile(r"\w+")
_INSTRUCTION = (
    "What is this conversation about? Name its topic in three to six words, nothing else."
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
    title = clean_title(written)
    if not is_about(title, f"{question.text[:_MOST_READ]} {answer.text[:_MOST_READ]}"):
        title = first_words(question.text)
    if title:
        await chat.run(
            lambda store: store.chats.rename(chat.id, title, "model"), is_branch_kept=True
        )
    return chat.chat


def clean_title(written: str) -> str:
    """What a model wrote as a title of a few plain words; empty when there is none in it."""
    for line in written.splitlines():
        label = _LABEL.match(line[:_MOST_READ])
        if title := _plain(line[label.end() :] if label else line):
            return title
    return ""


def is_about(title: str, text: str) -> bool:
    """Whether half of its words are of the text; a small model repeats what it was asked."""
    telling = [word for word in _WORD.findall(title.casefold()) if _is_telling(word)]
    folded = text.casefold()
    begun = {word[:_STEM] for word in _WORD.findall(folded)}
    found = sum(_is_of(word, begun, folded) for word in telling)
    return bool(telling) and 2 * found >= len(telling)


def _is_telling(word: str) -> bool:
    return len(word) >= _SHORTEST_TELLING or not word.isascii()


def _is_of(word: str, begun: set[str], text: str) -> bool:
    if word[:_STEM] in begun:
        return True
    # Chinese and Japanese have no blanks between words.
    pairs = (word[at : at + 2] for at in range(len(word) - 1))
    return not word.isascii() and any(pair in text for pair in pairs)


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
    turns = (
        Message("user", question.text[:_MOST_READ]),
        Message("assistant", answer.text[:_MOST_READ]),
        Message("user", _INSTRUCTION),
    )
    return Generate(
        NO_REQUEST,
        turns,
        sampling=Sampling(temperature=0.0),
        max_tokens=_MOST_TOKENS,
        thinking=False,
        lane="background",
        is_temporary=True,
    )
