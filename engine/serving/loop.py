"""The serving loop: one reader thread, one report thread, one compute thread.

The reader answers pings and plans at any moment and puts everything else into the inbox, in
order. The compute thread, which is the caller of `run`, does one prefill chunk or decode step at
a time and empties the inbox between two steps. Answers are served first come, first served; loads
wait for the answers before them.
"""

from __future__ import annotations

import queue
import threading
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from typing import NoReturn, assert_never

from engine.errors import ProtocolError
from engine.protocol import (
    NO_REQUEST,
    PROTOCOL_VERSION,
    AnyEvent,
    CacheForgotten,
    Cancel,
    CountTokens,
    Failed,
    ForgetCache,
    Generate,
    LoadModel,
    ModelLoaded,
    ModelLoading,
    ModelSlept,
    ModelUnloaded,
    Ping,
    Plan,
    Planned,
    Pong,
    Shutdown,
    TokensCounted,
    UnloadModel,
    WorkerReady,
    is_last,
)
from engine.serving.backend import Answer, Backend
from engine.serving.channel import Channel, end_process, leave
from engine.serving.clock import Stopwatch, process_id
from engine.serving.failures import Job, cancelled_before_start, failed, last_words
from engine.serving.order import must_wait
from engine.serving.reporter import Reporter
from engine.serving.sleep import Sleeper
from engine.serving.thread_name import name_this_thread

REPORT_THREAD = "report"
"""Under this name the system shows the thread that measures memory."""


class ServingLoop:
    """Runs one backend behind one channel until the channel closes."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._inbox: queue.SimpleQueue[Job | Cancel] = queue.SimpleQueue()
        self._jobs: deque[Job] = deque()
        self._running: tuple[Generate, Answer] | None = None
        # Each counter has one writing thread. Starting counts as work, so that it can stall.
        self._accepted, self._settled = 1, 0
        self._steps = 0
        self._is_made = False
        self._reporter = Reporter(
            lambda: self._backend.memory(len(self._jobs)), channel.send, lambda: self._is_busy
        )

    def start_reader(self) -> None:
        """Listen from the first moment, so that a dead terminal is noticed during slow imports."""
        threading.Thread(target=self._read, name="reader", daemon=True).start()

    def run(self, make_backend: Callable[[], Backend]) -> NoReturn:
        """Make the backend (slow: it imports MLX), then serve until the reader ends the process."""
        try:
            self._backend = make_backend()
        except Exception as error:  # reported to the terminal, whatever it is
            self._die("could not start", error)
        self._sleeper = Sleeper(self._backend)
        self._is_made = True
        self._settled += 1
        self._channel.send(
            WorkerReady(PROTOCOL_VERSION, self._backend.name, process_id(), self._backend.device)
        )
        threading.Thread(target=self._report, name="report", daemon=True).start()
        while True:
            self._take_commands()
            self._advance()

    @property
    def _is_busy(self) -> bool:
        return self._accepted != self._settled

    @property
    def _progress(self) -> int:
        # A long load has no steps, but its memory grows.
        return self._steps + self._reporter.changes

    def _read(self) -> None:
        try:
            for command in self._channel.commands():
                match command:
                    case Ping(id=id):
                        self._channel.send(Pong(id, self._progress, self._is_busy))
                    case Plan() if self._is_made:
                        self._channel.send(self._planned(command))
                    case Shutdown():
                        break
                    case _:
                        self._accepted += 1
                        self._inbox.put(command)
                        self._reporter.wake()
        except ProtocolError as error:
            self._die("could not read what it was sent", error)
        leave()

    def _report(self) -> None:
        name_this_thread(REPORT_THREAD)
        try:
            self._reporter.run()
        except Exception as error:  # a gauge that stands still would lie
            self._die("could not measure its memory", error)

    def _take_commands(self) -> None:
        """Wait for work when idle; between two steps only look."""
        if self._running is None and not self._jobs:
            self._sort(self._sleeper.wait(self._inbox, self._say_asleep))
        while not self._inbox.empty():
            self._sort(self._inbox.get())

    def _sort(self, command: Job | Cancel) -> None:
        match command:
            case Cancel(id=id):
                self._cancel(id)
                self._settled += 1
            case Generate() | LoadModel() | UnloadModel():
                self._jobs.append(command)
            case Plan():
                self._attempt(command)
            case CountTokens() | ForgetCache():
                running = [self._running[0]] if self._running else []
                if must_wait(command, (*self._jobs, *running)):
                    self._jobs.append(command)
                else:
                    self._attempt(command)
            case _:
                assert_never(command)

    def _advance(self) -> None:
        if self._running is not None:
            self._continue(self._running[1].step)
        elif self._jobs:
            self._attempt(self._jobs.popleft())

    def _continue(self, act: Callable[[], Sequence[AnyEvent]]) -> None:
        """Step or cancel the running answer."""
        assert self._running is not None  # checked by both callers
        try:
            events = act()
        except Exception as error:  # the answer ends, the engine goes on
            events = [failed(self._running[0], error)]
        self._steps += 1
        if any(is_last(event) for event in events):
            self._running = None
        for event in events:
            self._send(event)

    def _cancel(self, id: int) -> None:
        if self._running is not None and self._running[0].id == id:
            self._continue(self._running[1].cancel)
            return
        for job in tuple(self._jobs):
            if job.id == id:
                self._jobs.remove(job)
                self._send(cancelled_before_start(job))

    def _attempt(self, job: Job) -> None:
        try:
            self._carry_out(job)
        except Exception as error:  # the request ends, the engine goes on
            self._send(failed(job, error))
        self._steps += 1

    def _carry_out(self, job: Job) -> None:
        backend = self._backend
        match job:
            case Generate():
                self._wake()
                self._running = job, backend.open(job)
            case LoadModel():
                self._send(self._load(job, job.id))
            case UnloadModel(id=id):
                self._sleeper.note_unloaded()
                backend.unload()
                self._send(ModelUnloaded(id))
            case Plan():
                self._send(self._planned(job))
            case CountTokens(id=id, texts=texts):
                self._wake()
                self._send(TokensCounted(id, backend.count_tokens(texts)))
            case ForgetCache(id=id, owner=owner):
                self._send(CacheForgotten(id, backend.forget(owner)))
            case _:
                assert_never(job)

    def _load(self, command: LoadModel, id: int) -> ModelLoaded:
        """Load and say how that goes under this id."""
        watch = Stopwatch()
        # A load that fails leaves no model.
        self._sleeper.note_unloaded()
        model = self._backend.load(command, lambda stage: self._report_stage(id, stage))
        self._sleeper.note_loaded(command)
        return ModelLoaded(id, model, watch.seconds)

    def _wake(self) -> None:
        """Bring a sleeping model back. Raises as loading does."""
        try:
            self._sleeper.wake(lambda command: self._channel.send(self._load(command, NO_REQUEST)))
        except Exception:
            self._say_asleep()
            raise

    def _say_asleep(self) -> None:
        self._channel.send(ModelSlept(NO_REQUEST))
        self._reporter.wake()

    def _planned(self, command: Plan) -> Planned | Failed:
        try:
            return Planned(command.id, self._backend.plan(command))
        except Exception as error:  # the request ends, the reader goes on
            return failed(command, error)

    def _report_stage(self, id: int, stage: str) -> None:
        self._steps += 1
        self._channel.send(ModelLoading(id, stage))

    def _send(self, event: AnyEvent) -> None:
        """Send what the compute thread has to say; the last event of a command settles it."""
        self._channel.send(event)
        if is_last(event):
            self._settled += 1
            self._reporter.wake()

    def _die(self, what: str, error: Exception) -> NoReturn:
        traceback.print_exception(error)
        self._channel.send(last_words(what, error))
        end_process(1)
