"""What the scripted engine says, how fast, and how it fails.

A script is a JSON file with a list of replies; a scripted model is a folder whose config.json
may say how loading goes.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path
from typing import Literal, assert_never

import msgspec

from engine.protocol import ToolCall

Fault = Literal[
    "none", "crash", "abort", "kill", "exit", "leave", "hang", "raise", "memory", "print"
]


class Reply(msgspec.Struct, frozen=True):
    """What is said when the last message contains `match`; faults come before word `fault_at`.

    After the words it asks for tools, where they were offered; otherwise that is text too.
    """

    match: str
    text: str
    thinking: str = ""
    calls: tuple[ToolCall, ...] = ()
    malformed_call: str = ""
    seconds_per_token: float = 0.0
    seconds_per_chunk: float = 0.0
    fault: Fault = "none"
    fault_at: int = 0


class ScriptedModel(msgspec.Struct, frozen=True):
    """The part of a model folder's config.json that the scripted engine reads."""

    load_seconds: float = 0.0
    load_fault: Fault = "none"
    context_window: int = 2048
    weights_bytes: int = 512 * 1024**2
    has_tools: bool = False


def read_script(path: str) -> tuple[Reply, ...]:
    """The replies in a script file; none for an empty path."""
    if not path:
        return ()
    return msgspec.json.decode(Path(path).read_bytes(), type=tuple[Reply, ...])


def split_words(text: str) -> list[str]:
    """Cut text into words with the blanks that follow them; joining gives the text back."""
    return re.findall(r"\S+\s*|\s+", text)


def cut_at_stop(text: str, stop: tuple[str, ...]) -> str:
    """The text before the first stop string."""
    found = [place for word in stop if word and (place := text.find(word)) >= 0]
    return text[: min(found)] if found else text


def commit_fault(fault: Fault) -> None:
    """Fail the way real engines fail."""
    match fault:
        case "none":
            return
        case "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "abort":
            os.abort()
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "exit":
            os._exit(3)
        case "leave":
            sys.exit(3)
        case "hang":
            os.kill(os.getpid(), signal.SIGSTOP)
        case "raise":
            raise ValueError("scripted [fault] \x1b[31m")
        case "memory":
            raise MemoryError
        case "print":
            sys.stdout.write("noise \r" * 200_000 + "\n")
            sys.stdout.flush()
        case _:
            assert_never(fault)
