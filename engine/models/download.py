"""Downloading a model, from the side of the program that waits for it."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import assert_never

from engine.errors import ModelUnavailable
from engine.models.builtin_source import FetchProgress
from engine.models.child import run_module
from engine.models.download_events import Downloaded, Progress, Refused, Waiting, decode
from engine.models.hub_cache import is_repository_name, repository_folder

MAIN = "main"
_KEPT_LINES = 40
_REVISION = re.compile(r"[\w][\w./-]{0,120}", re.ASCII)


async def download_model(
    repository: str,
    cache: Path,
    report: Callable[[FetchProgress], None],
    revision: str = MAIN,
) -> Path:
    """Bring a model of the hub into the Hugging Face cache; returns its folder there.

    Goes on where an earlier try ended. `report` is called in the event loop; its stage is
    `waiting` while another process downloads the same model. Cancelling kills the child at once
    and keeps what has arrived. Raises ModelUnavailable.
    """
    if not is_repository_name(repository):
        raise ModelUnavailable(
            f"{repository!r} is no name of a model on the hub. It looks like "
            "`mlx-community/Qwen3-4B-4bit`: who made it, a slash, its name."
        )
    if not _REVISION.fullmatch(revision) or ".." in revision or revision.endswith((".lock", "/")):
        raise ModelUnavailable(f"{revision!r} is no revision: give a branch, a tag or a commit.")
    outcome: list[Downloaded | Refused] = []
    other_lines: deque[str] = deque(maxlen=_KEPT_LINES)

    def on_line(line: str) -> None:
        match decode(line):
            case Waiting():
                report(FetchProgress("waiting", 0, 0))
            case Progress(done_bytes=done, total_bytes=total):
                report(FetchProgress("downloading", done, total))
            case Downloaded() | Refused() as last:
                outcome.append(last)
            case None:
                other_lines.append(line.strip())
            case never:
                assert_never(never)

    status = await run_module(
        "engine.models.hub_download",
        [str(cache.absolute()), repository, revision],
        on_line,
        {"HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1"},
    )
    match outcome:
        case [Downloaded(commit=commit)]:
            return repository_folder(cache, repository) / "snapshots" / commit
        case [Refused(sentence=sentence)]:
            raise ModelUnavailable(sentence)
        case _:
            said = other_lines[-1] if other_lines else "it said nothing"
            raise ModelUnavailable(
                f"{repository} was not downloaded: the downloading process ended with status "
                f"{status} ({said}). Try again; what is here already is kept."
            )
