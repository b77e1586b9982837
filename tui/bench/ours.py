"""Times one answer of the real engine, from outside."""

from __future__ import annotations

import time
from dataclasses import dataclass

from engine.client import EngineClient
from engine.protocol import Finished, Message, Sampling, TextDelta
from tui.bench.figures import BenchFault

GREEDY = Sampling(temperature=0.0)


@dataclass(frozen=True, slots=True)
class OurSpeeds:
    """One answer: counts from the engine, times from our clock, in tokens a second.

    Whatever lies between the request and the first text counts as prefill, and whatever lies
    between the engine's first token and the last event as decoding: template, tokenizer,
    detokenizer and the way through the socket are all on our side of the comparison.
    """

    prompt_tokens: int
    decode_tokens: int
    prefill_tps: float
    decode_tps: float


async def measure_ours(engine: EngineClient, prompt: str, decode_tokens: int) -> OurSpeeds | None:
    """One greedy answer of exactly `decode_tokens` tokens; None when the model ended it earlier.

    Raises BenchFault when a cache took part, EngineError when the engine failed.
    """
    start = time.perf_counter()
    first_text = 0.0
    async for event in engine.generate(
        [Message("user", prompt)], sampling=GREEDY, max_tokens=decode_tokens
    ):
        elapsed = time.perf_counter() - start
        if isinstance(event, TextDelta):
            first_text = first_text or elapsed
        elif isinstance(event, Finished):
            return _speeds(event, first_text or elapsed, elapsed, decode_tokens)
    raise BenchFault("The engine closed an answer without ending it.")


def _speeds(
    finished: Finished, first_text: float, elapsed: float, decode_tokens: int
) -> OurSpeeds | None:
    usage = finished.usage
    if usage.reused_tokens:
        raise BenchFault(
            f"{usage.reused_tokens} prompt tokens came from the cache, so nothing was measured."
        )
    if usage.generated_tokens != decode_tokens:
        return None
    decoding = elapsed - usage.time_to_first_token
    return OurSpeeds(
        prompt_tokens=usage.prompt_tokens,
        decode_tokens=usage.generated_tokens,
        prefill_tps=usage.prompt_tokens / first_text,
        decode_tps=(usage.generated_tokens - 1) / decoding,
    )
