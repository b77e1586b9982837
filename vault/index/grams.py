"""Pairs of characters for scripts that put no space between words: CJK, Thai and their kin."""

from collections.abc import Iterator

import regex

_RUN = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\u30fc\u3005]+"
)


def runs(text: str) -> Iterator[str]:
    """The stretches of such scripts in a text."""
    return (found.group() for found in _RUN.finditer(text))


def pairs(text: str) -> str:
    """The overlapping pairs of a text's stretches, with spaces between; a lone one stands alone.

    Between stretches is a mark, so that no phrase reaches from one into another.
    """
    return " \u2022\u2022 ".join(" ".join(pairs_of(run)) for run in runs(text))


def pairs_of(run: str) -> list[str]:
    """The overlapping pairs of one stretch."""
    if len(run) == 1:
        return [run]
    return [run[index : index + 2] for index in range(len(run) - 1)]


def without_runs(text: str) -> str:
    """The text without such stretches."""
    return _RUN.sub(" ", text)
