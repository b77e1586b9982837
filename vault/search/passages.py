"""Finds where in a page the query is answered, and cuts out what to show."""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import regex

from vault.search.result import Passage, Span
from vault.search.terms import Analyser, Token, Wanted

_SNIPPET = 240
_MOST_READ = 2_000_000
_LEAST_OF_BEST = 0.6
_PREFIX = 3
_MARK = regex.compile(r"\p{Mn}|\p{Hangul}")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A passage as the index knows it, with its text."""

    text: str
    line: int
    heading_path: tuple[str, ...]
    anchor: str


def best_passages(
    stretches: Iterable[Stretch], wanted: Wanted, analyser: Analyser, most: int = 2
) -> tuple[Passage, ...]:
    """Return the passages that say most of what is wanted; the first one when none says any."""
    scored: list[tuple[float, int, Stretch, str, list[Token]]] = []
    first: Stretch | None = None
    read = 0
    hopeful: list[tuple[float, int, Stretch]] = []
    beginnings = {token: token[: max(_PREFIX, len(token) - 2)] for token in wanted.weights}
    for index, stretch in enumerate(stretches):
        first = first or stretch
        read += len(stretch.text)
        if read > _MOST_READ:
            break
        at_most = _at_most(stretch, wanted, beginnings)
        if at_most:
            hopeful.append((-at_most, index, stretch))
    hopeful.sort(key=lambda each: each[:2])
    for at_most, index, stretch in hopeful:
        # Of equals the first one wins, and nothing further on can score more.
        if len(scored) >= most and scored[most - 1][:2] < (at_most, index):
            break
        text = _shown(stretch)
        tokens = analyser.places(text, wanted)
        heading = {wanted.key(token) for token in analyser.keys(" ".join(stretch.heading_path))}
        score = sum(wanted.weights[key] for key in {each.token for each in tokens})
        score += 0.5 * sum(wanted.weights[key] for key in heading if key)
        if score:
            scored.append((-score, index, stretch, text, tokens))
            scored.sort(key=lambda each: each[:2])
    if not scored:
        return (_passage(first, _shown(first), [], wanted),) if first else ()
    least = -scored[0][0] * _LEAST_OF_BEST
    return tuple(
        _passage(stretch, text, tokens, wanted)
        for score, _, stretch, text, tokens in scored[:most]
        if -score >= least
    )


def _at_most(stretch: Stretch, wanted: Wanted, beginnings: Mapping[str, str]) -> float:
    """What a stretch can score, in little time; stems begin as their words do."""
    folded = stretch.text.casefold()
    headings = " ".join(stretch.heading_path).casefold()
    if not (folded.isascii() and headings.isascii()):
        parts = unicodedata.normalize("NFD", folded + headings)
        if _MARK.search(parts):
            # Letters with marks are not compared as they are written.
            return 1.5 * sum(wanted.weights.values())
    said = sum(wanted.weights[token] for token, start in beginnings.items() if start in folded)
    if not said:
        return 0.0
    above = sum(wanted.weights[token] for token, start in beginnings.items() if start in headings)
    return said + 0.5 * above


def _shown(stretch: Stretch) -> str:
    """The text in one line, without its heading, which is shown apart."""
    text = stretch.text
    if stretch.heading_path:
        body = text.lstrip("\ufeff \t\r\n")
        if body.startswith("#"):
            below = body.replace("\r", "\n").partition("\n")[2]
            text = below if below.strip() else text
    return unicodedata.normalize("NFC", " ".join(text.split()))


def _passage(stretch: Stretch, text: str, tokens: list[Token], wanted: Wanted) -> Passage:
    start, end = _window(text, tokens, wanted)
    before, after = ("… " if start else ""), (" …" if end < len(text) else "")
    shift = len(before) - start
    spans = _joined(
        (each.start + shift, each.end + shift)
        for each in tokens
        if start <= each.start and each.end <= end
    )
    return Passage(
        stretch.heading_path,
        stretch.anchor,
        stretch.line,
        f"{before}{text[start:end]}{after}",
        spans,
    )


def _window(text: str, tokens: list[Token], wanted: Wanted) -> Span:
    """The stretch of the text that shows most of what is wanted."""
    if len(text) <= _SNIPPET:
        return 0, len(text)
    tokens = sorted(tokens, key=lambda each: each.start)
    best, start, last = -1.0, 0, 0
    for index, each in enumerate(tokens):
        inside = [t for t in tokens[index : index + 60] if t.end <= each.start + _SNIPPET - 40]
        value = sum(wanted.weights[key] for key in {token.token for token in inside})
        if value > best and inside:
            best, start, last = value, each.start, inside[-1].end
    slack = max(0, _SNIPPET - (last - start))
    first = max(0, start - slack // 3)
    if first:
        space = text.find(" ", first, start)
        first = space + 1 if space >= 0 else first
    end = min(len(text), first + _SNIPPET)
    if end < len(text):
        space = text.rfind(" ", max(last, first), end)
        end = space if space > 0 else end
    return first, end


def _joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)
