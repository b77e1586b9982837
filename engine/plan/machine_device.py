"""The device's facts for processes without MLX: remembered, or asked of a child process once."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import msgspec

from engine.errors import EngineError
from engine.models.child import run_module
from engine.plan.device import Device, known_device

_MODULE = "engine.worker.device"
_SECONDS = 60.0
"""MLX's import and, the first time, compiling and testing the matrix library."""
_LINES_SHOWN = 3


class DeviceUnknown(EngineError):
    """MLX could not say what it computes on."""


async def device_facts(
    cache_dir: Path, blas: str | None = None, seconds: float = _SECONDS
) -> Device:
    """What the last engine process wrote into `cache_dir`, else a short child process's answer.

    Raises DeviceUnknown. Cancelling it ends the child.
    """
    known = known_device(cache_dir)
    if known is not None:
        return known
    lines: list[str] = []
    arguments = (str(cache_dir),) if blas is None else (str(cache_dir), blas)
    environment = {"TMPDIR": str(_temporary_folder(cache_dir))}
    try:
        async with asyncio.timeout(seconds):
            status = await run_module(_MODULE, arguments, lines.append, environment)
    except TimeoutError as error:
        raise DeviceUnknown(
            f"MLX did not say within {seconds:.0f} seconds what it computes on; try again."
        ) from error
    except OSError as error:
        raise DeviceUnknown(f"MLX could not be asked what it computes on: {error}.") from error
    found = _last_device(lines)
    if status != 0 or found is None:
        said = " ".join(lines[-_LINES_SHOWN:]) or f"it ended with exit status {status}"
        raise DeviceUnknown(f"MLX could not say what it computes on: {said}")
    return found


def _temporary_folder(cache_dir: Path) -> Path:
    """MLX's compiled kernels belong into a private folder, as in the engine process."""
    folder = cache_dir / "tmp"
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def _last_device(lines: list[str]) -> Device | None:
    """Libraries print what they like; ours is the last line that is a device."""
    for line in reversed(lines):
        with contextlib.suppress(msgspec.MsgspecError, UnicodeError):
            return msgspec.json.decode(line, type=Device)
    return None
