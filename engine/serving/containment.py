"""Where an exception ends one answer instead of the engine."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from engine.protocol import Failed
from engine.serving.backend import Refused
from engine.serving.failures import Job, explain

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Caught:
    """An exception that was met instead of a result."""

    error: Exception


def attempt(act: Callable[[], _T]) -> _T | Caught:
    """Call, and return the exception when there is one; surprises go to the log."""
    try:
        return act()
    except Exception as error:  # noqa: BLE001  whatever a row's text, sampler or model raises
        if not isinstance(error, Refused):
            traceback.print_exception(error)
        return Caught(error)


def failure(job: Job, caught: Caught) -> Failed:
    """The last event of what could not be carried out."""
    return Failed(job.id, *explain(job, caught.error))
