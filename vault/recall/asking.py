"""What a question asks for: its telling words, and whether it leans on what was said before."""

import re
import unicodedata
from dataclasses import dataclass

from vault.search.stop_words import without_stop_words

_LONG = 300
_LATEST_CUT = 200
_KEPT_OF_END = 100
_FEW_WORDS = 2
_WORD = re.compile(r"[^\W_]+(?:['’.+#-]+[^\W_]+)*[+#]*", re.UNICODE)
# How people ask, which says nothing about what they ask for.
_ASKING_WORDS = (
    "again also anything based briefly can't compare could describe detail details did didn't"
    " difference different does doesn't don't exactly example examples explain find gave get give"
    " go going good got have hello help hey hi i'm i've idea ideas it's just know let's like list"
    " look make many maybe mean means mention mentioned more most much my name need new note noted"
    " notes ok okay one other please question quick really recall remember remind reply right say"
    " says see short show so some something sort still summarise summarize sure tell thank thanks"
    " that's there's thing things think try two use used using very want was way well what's whats"
    " where's who's words write wrote wiki yes"
    " bitte danke erklär erkläre gib hallo kannst könntest mach nenne nochmal sag schreib schreibe"
    " weißt zeig zeige"
    " bonjour dis-moi donne explique merci montre peux pouvez salut"
    " dime explica gracias hola muestra puedes"
    " ciao dimmi grazie mostra puoi spiega"
)
_LEANING_WORDS = (
    "he her hers him his it its it's she that their theirs them these they this those one ones"
    " there same former latter"
    " er sie es ihn ihm ihr dessen deren davon dazu damit das dies diese dieser"
    " il elle ils elles lui leur celui celle ceux cela ça"
    " él ella ellos ellas eso esto ese esta"
)
_OF_ASKING = frozenset(_ASKING_WORDS.split())
_LEANING = frozenset(_LEANING_WORDS.split())
# What comes before something that is pasted in.
_BEFORE_PASTED = re.compile(r"\A(.{3,200}?)(?:[:：]\s|[:：]$|\n)", re.DOTALL)
_CHINESE = re.compile(
    "为什么|什么样|什么|怎么样|怎么|怎样|如何|哪里|哪些|哪个|哪|多少|是不是|有没有|可以|请问|请|告诉"
    "|我们|你们|他们|它们|我|你|他|她|它|吗|呢|吧|的|了|是|在|和|与|及|或|有|把|被|也|都|这个|那个|这|那"
)
_CHINESE_LEANING = re.compile("它|他|她|这个|那个|这些|那些")


@dataclass(frozen=True, slots=True)
class Asking:
    """The telling words of a question, in order.

    `is_leaning` says that it means something that was spoken of before: it points there, or says
    too little alone.
    """

    words: tuple[str, ...]
    is_leaning: bool


def read_asking(question: str) -> Asking:
    """Read any text as a question. Of a long one only what can be the question itself is read."""
    text = unicodedata.normalize(
        "NFC", _asked(question.strip()).encode("utf-8", "replace").decode()
    )
    points_back = bool(_CHINESE_LEANING.search(text))
    text = _CHINESE.sub(" ", text)
    said = tuple(_WORD.findall(text.replace("’", "'")))
    points_back = points_back or any(word.casefold() in _LEANING for word in said)
    words = tuple(word for word in without_stop_words(said) if word.casefold() not in _OF_ASKING)
    # Words that say little stay when there are no others; here that is no question at all.
    words = tuple(word for word in words if not _is_stop_word(word))
    return Asking(words, points_back or len(words) <= _FEW_WORDS)


def _asked(text: str) -> str:
    """Without what was pasted in, or else the beginning and the end."""
    if len(text) <= _LONG:
        return text
    found = _BEFORE_PASTED.match(text)
    if found:
        return found[1]
    return f"{text[:_LATEST_CUT]} {text[-_KEPT_OF_END:]}"


def _is_stop_word(word: str) -> bool:
    return len(without_stop_words((word, "\x00"))) == 1
