"""The serving loop: one reader thread, one report thread, one compute thread.

The reader answers pings and takes cancels at any moment; the compute thread, which is the
caller of `run`, does one prefill chunk or decode step at a time and looks at the inbox between
two steps. Answers are served first come, first served; loads wait for the answers before them.
"""

from __future__ import annotations

import queue
import threading
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from typing import NoReturn, assert_never

from engine.protocol import (
    PROTOCOL_VERSION,
    AnyCommand,
    AnyEvent,
    CacheForgotten,
    Cancel,
    CountTokens,
    Failed,
    Finished,
    ForgetCache,
    Generate,
    LoadModel,
    ModelLoaded,
    ModelLoading,
    ModelUnloaded,
    Ping,
    Pong,
    Shutdown,
    TokensCounted,
    UnloadModel,
    Usage,
    WorkerReady,
)
from engine.serving.backend import Answer, Backend, Refused
from engine.serving.channel import Channel, leave
from engine.serving.clock import Stopwatch, process_id

BUSY_REPORT_SECONDS = 0.25
IDLE_REPORT_SECONDS = 2.0

_Job = Generate | LoadModel | UnloadModel
_Aside = CountTokens | ForgetCache


class ServingLoop:
    """Runs one backend behind one channel until the channel closes."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._inbox: queue.SimpleQueue[_Job | _Aside] = queue.SimpleQueue()
        self._jobs: deque[_Job] = deque()
        self._running: tuple[Generate, Answer] | None = None
        self._cancelled: set[int] = set()
        self._progress = 0
        self._is_busy = False
        self._wake_reporter = threading.Event()

    def start_reader(self) -> None:
        """Listen from the first moment, so that a dead terminal is noticed during slow imports."""
        threading.Thread(target=self._read, name="reader", daemon=True).start()

    def run(self, make_backend: Callable[[], Backend]) -> NoReturn:
        """Make the backend (slow: it imports MLX), then serve until the reader ends the process."""
        self._backend = make_backend()
        self._channel.send(WorkerReady(PROTOCOL_VERSION, self._backend.name, process_id()))
        threading.Thread(target=self._report, name="report", daemon=True).start()
        while True:
            self._take_commands()
            self._advance()

    def _read(self) -> None:
        for command in self._channel.commands():
            match command:
                case Ping(id=id):
                    self._channel.send(Pong(id, self._progress, self._is_busy))
                case Cancel(id=id):
                    self._cancelled.add(id)
                case Shutdown():
                    break
                case _:
                    self._is_busy = True
                    self._inbox.put(command)
        leave()

    def _report(self) -> None:
        while True:
            self._channel.send(self._backend.memory(len(self._jobs)))
            self._wake_reporter.wait(BUSY_REPORT_SECONDS if self._is_busy else IDLE_REPORT_SECONDS)
            self._wake_reporter.clear()

    def _take_commands(self) -> None:
        """Wait for work when idle; between two steps only look."""
        is_idle = self._running is None and not self._jobs
        if is_idle and self._inbox.empty():
            self._is_busy = False
            self._wake_reporter.set()
        if is_idle:
            self._sort(self._inbox.get())
            self._is_busy = True
            self._wake_reporter.set()
        while not self._inbox.empty():
            self._sort(self._inbox.get())

    def _sort(self, command: _Job | _Aside) -> None:
        match command:
            case Generate() | LoadModel() | UnloadModel():
                self._jobs.append(command)
            case CountTokens() | ForgetCache():
                self._attempt(command)
            case _:
                assert_never(command)

    def _advance(self) -> None:
        self._drop_cancelled()
        if self._running is None and self._jobs:
            self._attempt(self._jobs.popleft())
        elif self._running is not None:
            command, answer = self._running
            try:
                events = answer.step()
            except Refused as refusal:
                self._running = None
                self._channel.send(Failed(command.id, refusal.kind, str(refusal)))
                return
            except Exception as error:  # the worker loop reports what nobody foresaw
                self._running = None
                self._fail(command, error)
                return
            self._progress += 1
            self._send_all(events)

    def _send_all(self, events: Sequence[AnyEvent]) -> None:
        for event in events:
            if isinstance(event, Finished):
                self._running = None
            self._channel.send(event)

    def _attempt(self, command: _Job | _Aside) -> None:
        try:
            self._carry_out(command)
        except Refused as refusal:
            self._channel.send(Failed(command.id, refusal.kind, str(refusal)))
        except Exception as error:  # the worker loop reports what nobody foresaw
            self._fail(command, error)
        self._progress += 1

    def _carry_out(self, command: _Job | _Aside) -> None:
        backend, send = self._backend, self._channel.send
        match command:
            case Generate():
                self._running = command, backend.open(command)
            case LoadModel(id=id, path=path):
                watch = Stopwatch()
                model = backend.load(path, lambda stage: self._report_stage(id, stage))
                send(ModelLoaded(id, model, watch.seconds))
            case UnloadModel(id=id):
                backend.unload()
                send(ModelUnloaded(id))
            case CountTokens(id=id, texts=texts):
                send(TokensCounted(id, backend.count_tokens(texts)))
            case ForgetCache(id=id, owner=owner):
                send(CacheForgotten(id, backend.forget(owner)))
            case _:
                assert_never(command)

    def _report_stage(self, id: int, stage: str) -> None:
        self._progress += 1
        self._channel.send(ModelLoading(id, stage))

    def _drop_cancelled(self) -> None:
        if not self._cancelled:
            return
        if self._running is not None and self._running[0].id in self._cancelled:
            command, answer = self._running
            self._cancelled.discard(command.id)
            self._send_all(answer.cancel())
        for job in [job for job in self._jobs if job.id in self._cancelled]:
            self._jobs.remove(job)
            self._cancelled.discard(job.id)
            self._channel.send(_cancelled_before_start(job))

    def _fail(self, command: AnyCommand, error: Exception) -> None:
        traceback.print_exception(error)
        what = type(error).__name__
        message = f"The engine could not do this ({what}: {error}). `zib doctor` shows its log."
        self._channel.send(Failed(command.id, "internal", message))


def _cancelled_before_start(job: _Job) -> Finished | Failed:
    match job:
        case Generate():
            return Finished(job.id, "cancelled", Usage(0, 0, 0, 0, 0.0, 0.0, 0.0))
        case LoadModel() | UnloadModel():
            return Failed(job.id, "bad-request", "Stopped before it began.")
        case _:
            assert_never(job)
