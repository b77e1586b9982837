"""Running the GGUF converter, which needs MLX, as a child process."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path

from engine.errors import ModelUnavailable
from engine.models.builtin_source import FetchProgress
from engine.models.child import run_module

_KEPT_LINES = 40
_PROGRESS = re.compile(r"progress (\d+) (\d+)")
_REFUSED = "refused "


class ConversionFailed(ModelUnavailable):
    """The converter made no model; `detail` holds its last lines."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason)
        self.detail = detail


async def convert_gguf(
    source: Path,
    destination: Path,
    report: Callable[[FetchProgress], None],
    sampling: Mapping[str, float] | None = None,
) -> None:
    """Make the model folder `destination` of a GGUF file; it appears whole or not at all.

    Cancelling kills the converter. Raises ConversionFailed with a sentence.
    """
    last_lines: deque[str] = deque(maxlen=_KEPT_LINES)

    def on_line(line: str) -> None:
        if progress := _PROGRESS.fullmatch(line):
            report(FetchProgress("converting", int(progress[1]), int(progress[2])))
        elif line.strip():
            last_lines.append(line)

    arguments = [str(source), str(destination), "--sampling", json.dumps(dict(sampling or {}))]
    status = await run_module("engine.worker.gguf_import", arguments, on_line)
    if status == 0:
        return
    refusals = [line.removeprefix(_REFUSED) for line in last_lines if line.startswith(_REFUSED)]
    said = last_lines[-1].strip() if last_lines else "it said nothing"
    reason = (
        refusals[-1]
        if refusals
        else f"{source.name} was not converted: the converter ended with status {status} ({said}). "
        "Is there room for it on the disk and in memory?"
    )
    raise ConversionFailed(reason, "\n".join(last_lines))
