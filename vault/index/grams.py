"""Pairs of characters for scripts that put no space between words: CJK, Thai and their kin."""

from collections.abc import Iterator

import regex

_RUN = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\u30fc\u3005]+"
)


def runs(text: str) -> Iterator[str]:
    """The stretches of such scripts in a text."""
    return (found.group() for found in _RUN.finditer(text))


def runs_at(text: str) -> Iterator[tuple[int, str]]:
    """The same with where each starts."""
    return ((found.start(), found.group()) for found in _RUN.finditer(text))


def pairs(text: str) -> str:
    """The overlapping pairs of a text's stretches and the last character of each.

    So every character begins one of them, and no phrase of pairs reaches from one stretch into
    another.
    """
    if text.isascii():
        return ""
    return " ".join(" ".join((*pairs_of(run), run[-1])[: len(run)]) for run in runs(text))


def pairs_of(run: str) -> list[str]:
    """The overlapping pairs of one stretch."""
    if len(run) == 1:
        return [run]
    return [run[index : index + 2] for index in range(len(run) - 1)]


def without_runs(text: str) -> str:
    """The text with spaces for such stretches, as long as it was."""
    return text if text.isascii() else _RUN.sub(lambda found: " " * len(found.group()), text)
