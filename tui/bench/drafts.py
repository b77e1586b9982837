"""Answers with drafts against the same answers without: a text said again, and an ordinary chat."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field
from itertools import zip_longest

from msgspec.structs import replace

from engine.client import EngineClient
from engine.process import EngineLaunch
from engine.protocol import NO_REQUEST, Finished, Generate, Message, TextDelta, Usage
from tui.bench.context import BenchContext, Report
from tui.bench.figures import BenchFault, Figure, Pair, Target, compared, sampled
from tui.bench.ours import GREEDY
from tui.bench.prompts import rambling_prompt

REWRITE_TARGET = Target(1.2, "at least")
CHAT_TARGET = Target(0.97, "at least")
SAME_TARGET = Target(1.0, "at least", "answers differ only where two tokens are as good as equal")
REWRITTEN_TOKENS, CHAT_TOKENS = 160, 120
FEWEST_TOKENS = 24
ROUNDS = 4
_PAGE = (
    "The lighthouse keeper wrote down the wind, the tide and every ship that passed, and in the "
    "evening he read the page again and added what he had forgotten: a gull with one leg, the "
    "smell of tar, a letter that came three years late. On Sundays he rowed to the village for "
    "bread and oil. His sister kept the school there, and she lent him books, which he read "
    "twice before he brought them back."
)
_TASKS = (
    "Repeat the following text exactly, word for word:",
    "Copy this page and replace 'lighthouse keeper' by 'harbour master'; change nothing else:",
)


@dataclass(slots=True)
class _Answer:
    """What was said, piece by piece, and what it cost."""

    pieces: list[str] = field(default_factory=list)
    usage: Usage | None = None

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    @property
    def cost(self) -> Usage:
        """Raises BenchFault for an answer too short to be timed."""
        if self.usage is None or self.usage.generated_tokens < FEWEST_TOKENS:
            raise BenchFault("The model ended its answer too early to be timed.")
        return self.usage


@dataclass(frozen=True, slots=True)
class _Turn:
    """The same question with drafts and, before and after, without."""

    drafted: _Answer
    plain: tuple[_Answer, _Answer]

    @property
    def pair(self) -> Pair:
        """Tokens a second after the first token."""
        plain = sum(answer.cost.decode_tps for answer in self.plain) / len(self.plain)
        return Pair((self.drafted.cost.decode_tps,), plain)

    @property
    def agreement(self) -> float:
        """The share of both answers up to where they part."""
        pairs = zip_longest(self.drafted.text, self.plain[0].text)
        same = next((at for at, (one, other) in enumerate(pairs) if one != other), None)
        longest = max(len(self.drafted.text), len(self.plain[0].text), 1)
        return 1.0 if same is None else same / longest


async def bench_drafts(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """Ratios of speeds, each within one round. Raises BenchFault, EngineError, OSError."""
    rewrites: list[_Turn] = []
    chats: list[_Turn] = []
    async with AsyncExitStack() as stack:
        engines = []
        for is_on in (True, False):
            config = replace(context.engine, is_drafting_allowed=is_on)
            engines.append(await stack.enter_async_context(EngineClient(EngineLaunch(config))))
            model = await engines[-1].load(str(context.model_folder))
            await _answer(engines[-1], rambling_prompt(), FEWEST_TOKENS)
        for number in range(context.rounds or ROUNDS):
            task = _TASKS[number % len(_TASKS)]
            rewrites.append(await _turn(engines, f"{task}\n\n{_PAGE}", REWRITTEN_TOKENS))
            chats.append(await _turn(engines, rambling_prompt(), CHAT_TOKENS))
            report(
                f"  rewriting {rewrites[-1].pair.ratio:.2f}x ({_drafts(rewrites[-1:])}), "
                f"chatting {chats[-1].pair.ratio:.2f}x ({_drafts(chats[-1:])})"
            )
    return (
        compared(
            "rewriting with drafts",
            [turn.pair for turn in rewrites],
            "tok/s",
            REWRITE_TARGET,
            f"{_drafts(rewrites)}, {model.name}, {model.compute}",
        ),
        compared(
            "chatting with drafts",
            [turn.pair for turn in chats],
            "tok/s",
            CHAT_TARGET,
            _drafts(chats),
        ),
        sampled("same answers", "", _agreements([*rewrites, *chats]), SAME_TARGET),
    )


async def _turn(engines: Sequence[EngineClient], prompt: str, tokens: int) -> _Turn:
    drafting, plain = engines
    before = await _answer(plain, prompt, tokens)
    drafted = await _answer(drafting, prompt, tokens)
    return _Turn(drafted, (before, await _answer(plain, prompt, tokens)))


async def _answer(engine: EngineClient, prompt: str, tokens: int) -> _Answer:
    answer = _Answer()
    command = Generate(NO_REQUEST, (Message("user", prompt),), "", GREEDY, tokens)
    async with aclosing(engine.run(command)) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                answer.pieces.append(event.text)
            elif isinstance(event, Finished):
                answer.usage = event.usage
    return answer


def _agreements(turns: Sequence[_Turn]) -> list[float]:
    return [turn.agreement for turn in turns]


def _drafts(turns: Sequence[_Turn]) -> str:
    drafted = sum(turn.drafted.cost.drafted_tokens for turn in turns)
    accepted = sum(turn.drafted.cost.accepted_tokens for turn in turns)
    return f"{accepted} of {drafted} drafted tokens right"
