"""A wiki of 10,000 made-up articles, and questions to it."""

from __future__ import annotations

import functools
import random
from pathlib import Path

ARTICLES = 10_000
ARTICLE_BYTES = 4_000
_VOCABULARY = 20_000
_COMMONEST = 50
_ONSETS = ("b", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "st", "tr")
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ou", "an", "er")
_ENDINGS = ("", "", "", "n", "s", "ing", "ed", "l")


def write_wiki(folder: Path, chance: random.Random) -> Path:
    """Write it below `folder`; where it is."""
    root = folder / "wiki"
    root.mkdir()
    for number in range(ARTICLES):
        path_of(root, number).write_text(article_of(chance, number))
    return root


def path_of(root: Path, number: int) -> Path:
    """Where an article is."""
    return root / f"Page {number}.md"


def article_of(chance: random.Random, number: int) -> str:
    """An article as people write them: properties, sections, links, a list."""
    pieces = [
        f"---\naliases: [Alias {number}]\ntags: [t{number % 50}]\n"
        f"updated: 2026-01-{number % 28 + 1:02d}\n---\n# Page {number}\n\n"
    ]
    size = 0
    while size < ARTICLE_BYTES:
        words = " ".join(_word(chance) for _ in range(90))
        target = chance.randrange(ARTICLES)
        pieces.append(
            f"## Part {len(pieces)}\n\n{words} [[Page {target}]] and `code`."
            f" #tag{chance.randrange(99)}\n\n- {_word(chance)}\n- [[Page {target}|other]]\n\n"
        )
        size += len(pieces[-1])
    return "".join(pieces)


def _word(chance: random.Random) -> str:
    """A word; as in any language few of them are most of a text, and those are short."""
    return _spelt(int(_VOCABULARY ** chance.random()))


@functools.cache
def _spelt(rank: int) -> str:
    """The word of a rank: syllables, and for some an ending that stems drop."""
    word, left = "", rank
    while left or not word:
        left, syllable = divmod(left, len(_ONSETS) * len(_VOWELS))
        word += _ONSETS[syllable % len(_ONSETS)] + _VOWELS[syllable // len(_ONSETS)]
    return word + _ENDINGS[rank % len(_ENDINGS)] if rank > _COMMONEST else word


def query_of(chance: random.Random) -> str:
    """Two to five words as they come in texts: the commonest, which all pages have, among them."""
    return " ".join(_word(chance) for _ in range(chance.randrange(2, 6)))
