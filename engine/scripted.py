"""A deterministic engine for tests, demos and screenshots: `python -m engine.scripted FD CONFIG`.

It speaks the same protocol and keeps the same promises as the MLX worker; words stand for tokens.
What it says comes from a JSON script: a list of replies, each with a `match` (a part of the last
message), a `text`, and how fast and with which faults it is said.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, assert_never

import msgspec

from engine.config import EngineConfig
from engine.protocol import (
    AnyEvent,
    Finished,
    FinishReason,
    Generate,
    KVUsage,
    MemoryReport,
    ModelInfo,
    PromptProgress,
    Span,
    TextDelta,
    Usage,
)
from engine.serving.backend import Answer, Refused
from engine.serving.entry import serve

CONTEXT_WINDOW = 2048
WEIGHTS_BYTES = 512 * 1024 * 1024
KV_BYTES_PER_TOKEN = 90 * 1024
PREFILL_STEP = 16

Fault = Literal["none", "crash", "exit", "hang", "raise", "print"]


class Reply(msgspec.Struct, frozen=True):
    """What is said when the last message contains `match`."""

    match: str
    text: str
    thinking: str = ""
    seconds_per_token: float = 0.0
    seconds_per_chunk: float = 0.0
    fault: Fault = "none"
    fault_at: int = 0


def read_script(path: str) -> tuple[Reply, ...]:
    """The replies in a script file; none for an empty path."""
    if not path:
        return ()
    return msgspec.json.decode(Path(path).read_bytes(), type=tuple[Reply, ...])


def split_words(text: str) -> list[str]:
    """Cut text into words with the blanks that follow them; joining gives the text back."""
    return re.findall(r"\S+\s*|\s+", text)


class ScriptedBackend:
    """Answers from a script, or repeats the question."""

    name = "scripted"

    def __init__(self, config: EngineConfig) -> None:
        self._replies = read_script(config.script)
        self._model: ModelInfo | None = None
        self._held: dict[str, list[str]] = {}
        self._hits = 0
        self._running: ScriptedAnswer | None = None

    def load(self, path: str, report_stage: Callable[[str], None]) -> ModelInfo:
        """Accept any folder with a config.json."""
        folder = Path(path)
        if not (folder / "config.json").is_file():
            raise Refused("load", f"{folder} is not a model folder: it has no config.json.")
        report_stage("reading the script")
        self.unload()
        self._model = ModelInfo(
            name=folder.name,
            path=path,
            architecture="scripted",
            context_window=CONTEXT_WINDOW,
            weights_bytes=WEIGHTS_BYTES,
            parameters=135_000_000,
            quantization="4-bit",
            device="script",
            compute="scripted",
            has_thinking=True,
        )
        return self._model

    def unload(self) -> None:
        """Forget the model and the conversations."""
        self._model = self._running = None
        self._held.clear()

    def count_tokens(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Words."""
        self._require_model()
        return tuple(len(split_words(text)) for text in texts)

    def forget(self, owner: str) -> int:
        """Drop one conversation."""
        return 0 if self._held.pop(owner, None) is None else 1

    def open(self, command: Generate) -> Answer:
        """Find the reply for the last message."""
        self._require_model()
        if not command.messages:
            raise Refused("bad-request", "There is no message to answer.")
        if command.max_tokens is not None and command.max_tokens < 1:
            raise Refused("bad-request", "max_tokens must be at least 1.")
        prompt = [word for turn in command.messages for word in split_words(turn.content)]
        if len(prompt) >= CONTEXT_WINDOW:
            raise Refused("no-room", f"The conversation takes {len(prompt):,} tokens of 2,048.")
        held = self._held.pop(command.conversation, [])
        reused = min(_common_prefix(held, prompt), max(len(prompt) - 1, 0))
        self._hits += 1 if reused else 0
        last = command.messages[-1].content
        reply = next(
            (reply for reply in self._replies if reply.match in last),
            Reply("", f"You said: {last}"),
        )
        self._running = ScriptedAnswer(command, reply, prompt, reused, self._keep)
        return self._running

    def memory(self, rows_waiting: int) -> MemoryReport:
        """Figures that follow from the token counts alone."""
        running = self._running
        tokens = running.tokens_held if running else 0
        is_running = running is not None and not running.is_over
        kv = KVUsage("full", 30, 16, tokens, tokens * KV_BYTES_PER_TOKEN)
        weights = WEIGHTS_BYTES if self._model else 0
        stored = sum(len(words) for words in self._held.values()) * KV_BYTES_PER_TOKEN
        return MemoryReport(
            active_bytes=weights + kv.bytes + stored,
            cache_bytes=16 * 1024 * 1024 if weights else 0,
            peak_bytes=weights + kv.bytes + stored + (64 * 1024 * 1024 if weights else 0),
            process_bytes=weights + kv.bytes + stored + 180 * 1024 * 1024,
            weights_bytes=weights,
            kv=(kv,) if is_running else (),
            context_tokens=tokens,
            context_window=CONTEXT_WINDOW if weights else 0,
            rows_running=1 if is_running else 0,
            rows_waiting=rows_waiting,
            prompt_cache_entries=len(self._held),
            prompt_cache_bytes=stored,
            prompt_cache_hits=self._hits,
            disk_tier_bytes=0,
            prefill_tps=240.0 if is_running else 0.0,
            decode_tps=31.0 if is_running else 0.0,
        )

    def _keep(self, owner: str, words: list[str]) -> None:
        if owner:
            self._held[owner] = words

    def _require_model(self) -> None:
        if self._model is None:
            raise Refused("no-model", "No model is loaded yet.")


class ScriptedAnswer:
    """One reply being said."""

    def __init__(
        self,
        command: Generate,
        reply: Reply,
        prompt: list[str],
        reused: int,
        keep: Callable[[str, list[str]], None],
    ) -> None:
        self._command = command
        self._reply = reply
        self._prompt = prompt
        self._reused = self._prefilled = reused
        self._keep = keep
        thinking = [] if command.thinking is False else split_words(reply.thinking)
        self._words: list[tuple[Span, str]] = [("thinking", word) for word in thinking]
        self._words += [("answer", word) for word in split_words(reply.text)]
        self._said: list[str] = []
        self._started = time.monotonic()
        self.is_over = False

    @property
    def tokens_held(self) -> int:
        """Words in the pretended KV cache."""
        return self._prefilled + len(self._said)

    def step(self) -> Sequence[AnyEvent]:
        """One chunk of the prompt or one word of the reply."""
        if self._prefilled < len(self._prompt):
            time.sleep(self._reply.seconds_per_chunk)
            self._prefilled = min(self._prefilled + PREFILL_STEP, len(self._prompt))
            id, total = self._command.id, len(self._prompt)
            return [PromptProgress(id, self._prefilled, total, self._reused)]
        if len(self._said) == self._reply.fault_at:
            commit_fault(self._reply.fault)
        if len(self._said) == len(self._words):
            return [self._finish("stop")]
        time.sleep(self._reply.seconds_per_token)
        span, word = self._words[len(self._said)]
        self._said.append(word)
        delta = TextDelta(self._command.id, word, span)
        if len(self._said) == self._command.max_tokens:
            return [delta, self._finish("length")]
        return [delta]

    def cancel(self) -> Sequence[AnyEvent]:
        """Stop here."""
        return [self._finish("cancelled")]

    def _finish(self, reason: FinishReason) -> Finished:
        self.is_over = True
        answer = [word for (span, word) in self._words[: len(self._said)] if span == "answer"]
        self._keep(self._command.conversation, self._prompt[: self._prefilled] + answer)
        usage = Usage(
            prompt_tokens=len(self._prompt),
            reused_tokens=self._reused,
            generated_tokens=len(self._said),
            context_window=CONTEXT_WINDOW,
            time_to_first_token=0.2,
            prefill_tps=240.0,
            decode_tps=31.0,
        )
        return Finished(self._command.id, reason, usage)


def commit_fault(fault: Fault) -> None:
    """Fail the way real engines fail."""
    match fault:
        case "none":
            return
        case "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "exit":
            os._exit(3)
        case "hang":
            os.kill(os.getpid(), signal.SIGSTOP)
        case "raise":
            raise ValueError("scripted [fault] \x1b[31m")
        case "print":
            sys.stdout.write("noise \r" * 200_000 + "\n")
            sys.stdout.flush()
        case _:
            assert_never(fault)


def _common_prefix(left: Sequence[str], right: Sequence[str]) -> int:
    for index, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return index
    return min(len(left), len(right))


if __name__ == "__main__":
    serve(ScriptedBackend)
