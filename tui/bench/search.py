"""What a search finds against plain FTS5, on other people's wikis; nothing typed may fail.

The weights of the ranking were chosen on one half of the questions, by a hash of the page asked
for. Only the other half is asked here.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tui.bench.context import BenchContext, Report
from tui.bench.figures import BenchFault, Figure, Target, sampled
from tui.bench.search_baseline import PlainSearch, TableSearch
from tui.bench.search_questions import Question, ask
from vault.index.index import Index
from vault.search.ranking import Weights
from vault.search.search import Search
from vault.search.terms import Analyser

MOST_QUESTIONS = 400
LEAST_QUESTIONS = 10
FUZZED = 2000
_CHINESE = "garden-zh"
WITHOUT = {
    "names": replace(Weights(), names=0.0, whole_name=0.0),
    "weights of columns": replace(Weights(), fields=(4.0, 1.0, 1.0, 1.0, 1.0)),
    "proximity": replace(Weights(), near=0.0),
}
_FEWER = Target(15.0, "at least", "over all sets together")
_NOT_BELOW = Target(0.0, "at least")
_LOST = Target(0.0, "at least", "what a part of the ranking is worth")
_EVERY = "every page"
_MISSED = Target(0.5, "at most", "against the same ranking of every page with any of the words")
_NEVER = Target(0.0, "at most")
_SPEED = Target(
    20.0, "at most", "questions of up to 300 characters; the passages of ten pages read from files"
)

# fmt: off
_NOISE = (
    '"', "'", "*", "(", ")", "-", "+", "^", ":", "{", "}", "#", "AND", "OR", "NOT", "NEAR(",
    "NEAR/2", "title:", "-tag:", "path:", "{title}:", "C++", "don't", "v1.0.21", "foo:bar",
    "\0", "\ud800", "😀", "的", "ก", "\u0301", "--", "\n",
)
# fmt: on

Find = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class _Wiki:
    """One wiki to search: the questions of it, and who answers them."""

    language: str
    questions: tuple[Question, ...]
    search: Search
    plain: PlainSearch
    tables: TableSearch
    others: Mapping[str, Search]
    words: tuple[str, ...]


@dataclass(slots=True)
class _Scores:
    """At which place the answers were, by the name of who answered; 0 is nowhere."""

    places: dict[str, list[int]]
    milliseconds: list[float]

    def misses(self, who: str) -> int:
        return sum(not 0 < place <= 5 for place in self.places[who])

    def summary(self, who: str) -> str:
        places = self.places[who]
        shares = [sum(0 < place <= most for place in places) / len(places) for most in (1, 5, 10)]
        rank = sum(1 / place for place in places if place) / len(places)
        return " ".join(f"{share:.3f}" for share in (*shares, rank))


async def bench_search(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """Ask every question of every wiki. Raises BenchFault without wikis."""
    return await asyncio.to_thread(_measure, context, report)


def _measure(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    folders = folders_of(context.corpora)
    scores: dict[tuple[str, str], _Scores] = {}
    failures: list[str] = []
    empty: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        for folder in folders:
            wiki = _opened(folder, Path(scratch))
            for question in wiki.questions:
                _answer(wiki, question, scores)
            failures += _fuzz(wiki, FUZZED // len(folders) + 1)
            empty += _empty(wiki, 100)
            report(f"  {folder.name}: {len(wiki.questions)} questions")
    named = {key: each for key, each in scores.items() if _count(each) >= LEAST_QUESTIONS}
    for (language, kind), each in sorted(named.items()):
        report(
            f"  {language} {kind}: {_count(each)} questions, recall@1 @5 @10 MRR"
            f" {each.summary('ours')}, plain {each.summary('plain')}, BM25 over our tables"
            f" {each.summary('tables')}"
        )
    return (
        *(_set_figure(key, each) for key, each in sorted(named.items())),
        *_total_figures(scores.values()),
        sampled("fuzzed queries that fail", "", [len(failures)], _NEVER, "; ".join(failures[:3])),
        sampled("words of pages that find nothing", "", [len(empty)], _NEVER, ", ".join(empty[:5])),
    )


def folders_of(corpora: Path | None) -> list[Path]:
    """The wikis to ask. Raises BenchFault without any."""
    folders = sorted(each for each in corpora.iterdir() if each.is_dir()) if corpora else []
    if not folders:
        raise BenchFault("This is measured on wikis: set ZIB_CORPORA to a folder of some.")
    return folders


def _opened(folder: Path, scratch: Path) -> _Wiki:
    asked = ask(folder, MOST_QUESTIONS)
    index = asked.indexed(scratch / folder.name)

    def opened() -> Index:
        return index

    analyser = Analyser()
    words = {term.text for text in asked.texts.values() for term in analyser.terms(text[:2000])}
    return _Wiki(
        "Chinese" if folder.name == _CHINESE else "English",
        tuple(each for each in asked.questions if is_held_out(each)),
        Search(opened),
        PlainSearch(asked.texts),
        TableSearch(index),
        {part: Search(opened, weights) for part, weights in WITHOUT.items()}
        | {_EVERY: Search(opened, is_exhaustive=True)},
        tuple(sorted(words)),
    )


def _answer(wiki: _Wiki, question: Question, scores: dict[tuple[str, str], _Scores]) -> None:
    began = time.perf_counter()
    wiki.search.find(question.text, limit=10)
    seconds = time.perf_counter() - began
    key = (wiki.language, question.kind)
    each = scores.setdefault(key, _Scores({}, []))
    each.milliseconds.append(1000 * seconds)
    found = {
        "ours": wiki.search.order(question.text),
        "plain": wiki.plain.find(question.text),
        "tables": wiki.tables.find(question.text),
    }
    found |= {part: search.order(question.text) for part, search in wiki.others.items()}
    for who, paths in found.items():
        each.places.setdefault(who, []).append(_place(paths, question))


def is_held_out(question: Question) -> bool:
    """Whether no weight was chosen by a question."""
    return hashlib.sha256(question.answer.encode("utf-8", "replace")).digest()[0] % 2 == 1


def _place(paths: Sequence[str], question: Question) -> int:
    left = [path for path in paths if path != question.source]
    return left.index(question.answer) + 1 if question.answer in left else 0


def _count(scores: _Scores) -> int:
    return len(scores.milliseconds)


def _set_figure(key: tuple[str, str], scores: _Scores) -> Figure:
    language, kind = key
    count = _count(scores)
    gained = 100 * (scores.misses("plain") - scores.misses("ours")) / count
    times = sorted(scores.milliseconds)
    return sampled(
        f"{language} {kind}: recall@5 above plain",
        "points",
        [gained],
        _NOT_BELOW,
        f"{count} questions; recall@1 @5 @10 MRR ours {scores.summary('ours')}, plain"
        f" {scores.summary('plain')}; {statistics.median(times):.1f} ms, p95"
        f" {times[int(0.95 * count)]:.1f}",
    )


def _total_figures(all_scores: Collection[_Scores]) -> Iterator[Figure]:
    def misses(who: str) -> int:
        return sum(scores.misses(who) for scores in all_scores)

    def ranks(who: str) -> float:
        places = [place for scores in all_scores for place in scores.places[who]]
        return sum(1 / place for place in places if place) / max(1, len(places))

    plain, ours = misses("plain"), misses("ours")
    fewer = 100 * (plain - ours) / max(1, plain)
    count = sum(map(_count, all_scores))
    note = (
        f"{ours} of {count:,} instead of {plain}; BM25 over our own tables misses"
        f" {misses('tables')}"
    )
    yield sampled("fewer misses at 5", "%", [fewer], _FEWER, note)
    best = ranks("ours")
    for part in WITHOUT:
        lost, note = 100 * (best - ranks(part)), f"{misses(part) - ours:+} misses at 5"
        yield sampled(f"mean reciprocal rank lost without {part}", "points", [lost], _LOST, note)
    lost, note = 100 * (ranks(_EVERY) - best), f"{ours - misses(_EVERY):+} misses at 5"
    yield sampled("mean reciprocal rank lost by being quick", "points", [lost], _MISSED, note)
    times = sorted(each for scores in all_scores for each in scores.milliseconds)
    yield sampled("a search, p95", "ms", [times[int(0.95 * len(times))]], _SPEED)


def _fuzz(wiki: _Wiki, count: int) -> Iterator[str]:
    """Search for noise, some of it FTS5's own language, and tell what was raised."""
    chance = random.Random(count)
    for _ in range(count):
        pieces = [
            chance.choice((*_NOISE, chance.choice(wiki.words), chr(chance.randrange(1, 0x3000))))
            for _ in range(chance.randrange(1, 8))
        ]
        text = chance.choice(("", " ")).join(pieces)
        try:
            wiki.search.find(text, limit=3, is_typing=chance.random() < 0.5)
            wiki.search.jump(text, limit=3)
        except Exception as error:  # noqa: BLE001  (whatever is raised is the finding)
            yield f"{text!r}: {error!r}"


def _empty(wiki: _Wiki, count: int) -> Iterator[str]:
    """Search for words that pages have, alone and among gibberish."""
    chance = random.Random(count)
    for word in chance.sample(wiki.words, min(count, len(wiki.words))):
        for text in (word, f"qzxv {word}?", f'"{word} qzxv"'):
            if not wiki.search.order(text):
                yield text
