"""Whether the right article is in the prompt, whether nothing is for strangers' questions, and how
long that takes.

The weights of `vault/recall` were chosen on one half of the questions, by a hash of the page asked
for. Only the other half is asked here. Tokens are those of the model.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.client import EngineClient
from engine.process import EngineLaunch
from tui.assistant.recall.choosing import choose
from tui.bench.context import BenchContext, Report
from tui.bench.figures import Figure, Target, sampled
from tui.bench.made_up_wiki import ARTICLES, query_of, write_wiki
from tui.bench.recall_strangers import STRANGERS
from tui.bench.search import MOST_QUESTIONS, folders_of, is_held_out
from tui.bench.search_questions import Question, ask
from vault.index.index import Index
from vault.recall.recall import Recall
from vault.recall.values import Recalled, Wish

BUDGETS = {1500: Target(80.0, "at least"), 500: Target(70.0, "at least")}
TIMED = 200
_WITHIN = "the model's own tokens, frame included"
_FOUND = Target(85.0, "at least", "related questions that recall anything")
_STRANGE = Target(10.0, "at most", "questions that these wikis are not about")
_SPEED = Target(30.0, "at most", "questions of two to five words and of sentences; files are read")


@dataclass(slots=True)
class _Counts:
    """Over some questions: how many there are, which recall something, and which the right page."""

    asked: int = 0
    recalled: int = 0
    right: dict[int, int] = field(default_factory=lambda: dict.fromkeys(BUDGETS, 0))

    def add(self, other: _Counts) -> None:
        self.asked += other.asked
        self.recalled += other.recalled
        for budget, right in other.right.items():
            self.right[budget] += right

    def told(self) -> str:
        right = ", ".join(f"{count} within {budget:,}" for budget, count in self.right.items())
        return f"{self.asked} questions, {self.recalled} recall something, the right page: {right}"


async def bench_recall(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """Ask every wiki its own questions and those of strangers. Raises BenchFault without wikis."""
    folders = folders_of(context.corpora)
    kinds: dict[str, _Counts] = defaultdict(_Counts)
    strange = _Counts()
    async with EngineClient(EngineLaunch(context.engine)) as engine:
        await engine.load(str(context.model_folder))
        with tempfile.TemporaryDirectory() as scratch:
            for folder in folders:
                opened = await asyncio.to_thread(_opened, folder, Path(scratch))
                for question in opened.questions:
                    kinds[question.kind].add(await _counted(opened.recall, question, engine))
                for text in STRANGERS:
                    found = opened.recall.find(Wish(text))
                    strange.add(_Counts(1, bool(found.candidates)))
                report(f"  {folder.name}: {len(opened.questions)} questions")
    for kind, counts in sorted(kinds.items()):
        report(f"  {kind}: {counts.told()}")
    times = await asyncio.to_thread(_times, context.rounds)
    return (*_figures(list(kinds.values()), strange), _time_figure(times))


@dataclass(frozen=True, slots=True)
class _Opened:
    recall: Recall
    questions: tuple[Question, ...]


def _opened(folder: Path, scratch: Path) -> _Opened:
    """A copy of a wiki without what gives the answers away."""
    asked = ask(folder, MOST_QUESTIONS)
    index = asked.indexed(scratch / folder.name)
    held_out = tuple(each for each in asked.questions if is_held_out(each))
    return _Opened(Recall(lambda: index), held_out)


async def _counted(recall: Recall, question: Question, engine: EngineClient) -> _Counts:
    """The page a question was cut out of is no answer, so it is not looked at."""
    scope = f'-path:"{question.source}"' if question.source else ""
    found: Recalled = recall.find(Wish(question.text, scope=scope))
    counts = _Counts(1, bool(found.candidates))
    for budget in BUDGETS:
        record = await choose((), found.candidates, budget, engine.count_tokens)
        read = record.read if record else ()
        counts.right[budget] = int(any(each.path == question.answer for each in read))
    return counts


def _figures(kinds: Sequence[_Counts], strange: _Counts) -> Iterator[Figure]:
    total = _Counts()
    for each in kinds:
        total.add(each)
    for budget, target in BUDGETS.items():
        share = 100 * total.right[budget] / max(1, total.asked)
        note = f"{total.right[budget]:,} of {total.asked:,}; {_WITHIN}"
        yield sampled(f"right article within {budget:,} tokens", "%", [share], target, note)
    share = 100 * total.recalled / max(1, total.asked)
    note = f"{total.recalled:,} of {total.asked:,}"
    yield sampled("related questions that recall something", "%", [share], _FOUND, note)
    share = 100 * strange.recalled / max(1, strange.asked)
    note = f"{strange.recalled} of {strange.asked:,}"
    yield sampled("strangers' questions that recall something", "%", [share], _STRANGE, note)


def _times(rounds: int | None) -> list[float]:
    """Milliseconds of a recall each, in a wiki of very many articles."""
    chance = random.Random(11)
    with tempfile.TemporaryDirectory() as scratch:
        index = Index(write_wiki(Path(scratch), chance), Path(scratch) / "index.sqlite")
        index.refresh()
        recall = Recall(lambda: index)
        recall.find(Wish("warm"))
        times: list[float] = []
        for number in range(TIMED if rounds is None else max(20, rounds)):
            long = " ".join(query_of(chance) for _ in range(1 + number % 3))
            began = time.perf_counter()
            recall.find(Wish(f"what about {long}?", "and before that"))
            times.append(1000 * (time.perf_counter() - began))
        index.close()
    return times


def _time_figure(times: Sequence[float]) -> Figure:
    ordered = sorted(times)
    note = f"median {ordered[len(ordered) // 2]:.1f}, longest {ordered[-1]:.1f}"
    p95 = ordered[int(0.95 * len(ordered))]
    return sampled(f"a recall among {ARTICLES:,} articles, p95", "ms", [p95], _SPEED, note)
