"""Calls what may recurse deeper than a thread's usual stack, and may take too long."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

STACK_BYTES = 256 * 1024**2
"""Reserved, not used: the system gives a stack the pages it touches."""

_T = TypeVar("_T")


def call_deep(act: Callable[[], _T], seconds: float) -> _T:
    """Call on a deep stack; raises what it raises, and TimeoutError after so many seconds.

    A call that is given up runs on to its end, unheard. RuntimeError stands for a panic.
    """
    return begin_deep(act).result(seconds)


def begin_deep(act: Callable[[], _T]) -> Future[_T]:
    """The same without waiting for it."""
    future: Future[_T] = Future()

    def run() -> None:
        try:
            future.set_result(act())
        except BaseException as error:  # noqa: BLE001  a panic of a Rust library is no Exception
            is_usual = isinstance(error, Exception)
            future.set_exception(error if is_usual else RuntimeError(str(error)))

    usual = threading.stack_size(STACK_BYTES)
    try:
        threading.Thread(target=run, daemon=True).start()
    finally:
        threading.stack_size(usual)
    return future
