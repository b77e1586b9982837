"""Processes that write entries until they are killed; they print each number once it is stored."""

from __future__ import annotations

import itertools
import resource
import sys
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tests.disk.disk_tools import entry_of, opened

LENGTH = 1500
"""Tokens: tensors of 190 KB, so that a file takes a while."""


def tokens_of(number: int) -> list[int]:
    """The tokens of an entry; none is the beginning of another."""
    return [number, *range(10_000, 10_000 + LENGTH)]


def write_until_killed(root: str, first: int, acknowledged: Connection) -> None:
    """One entry after the other, as fast as it goes."""
    tier = opened(Path(root))
    for number in itertools.count(first):
        entry = entry_of(tokens_of(number), f"chat {number}")
        tier.offer(entry)
        assert tier.flush(30).is_durable
        acknowledged.send(number)


def write_under_a_size_limit(root: str, most: int, result: Connection) -> None:
    """Try it where no file may grow beyond so many bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    tier = opened(Path(root))
    entry = entry_of(tokens_of(1))
    tier.offer(entry)
    saved = tier.flush(30)
    time.sleep(0.2)
    result.send((saved.is_durable, tier.usage.fault, tier.usage.failures))
    tier.offer(entry)
    result.send((tier.upkeep(99), tier.longest(entry.key, [*entry.tokens, 1], 0)))


def main(arguments: Sequence[str]) -> None:
    """`python -m tests.disk.kept_writer ROOT FIRST` prints the numbers."""

    class Printing:
        def send(self, number: int) -> None:
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()

    output: Any = Printing()  # stands for the end of a pipe
    write_until_killed(arguments[0], int(arguments[1]), output)


if __name__ == "__main__":
    main(sys.argv[1:])
