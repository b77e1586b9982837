"""The serving loop: one reader thread, one report thread, one compute thread.

The reader answers pings and plans at any moment and puts everything else into the inbox, in
order. The compute thread, which is the caller of `run`, does one prefill chunk or decode step at
a time and empties the inbox between two steps. Answers go to the backend's lanes; what may not
start yet, as a load before the answers ahead of it have ended, waits in line.
"""

from __future__ import annotations

import queue
import threading
import traceback
from collections.abc import Callable, Sequence
from typing import NoReturn, assert_never

from msgspec import structs

from engine.errors import ProtocolError
from engine.protocol import (
    NO_REQUEST,
    PROTOCOL_VERSION,
    AnyEvent,
    CacheForgotten,
    CacheSaved,
    Cancel,
    CountTokens,
    Failed,
    Finished,
    ForgetCache,
    Generate,
    LoadModel,
    MemoryReport,
    ModelLoaded,
    ModelLoading,
    ModelSlept,
    ModelUnloaded,
    Ping,
    Plan,
    Planned,
    Pong,
    SaveCache,
    Shutdown,
    TokensCounted,
    UnloadModel,
    WorkerReady,
    is_last,
)
from engine.serving.backend import Backend
from engine.serving.channel import Channel, end_process, leave
from engine.serving.clock import Stopwatch, process_id
from engine.serving.containment import Caught, attempt, failure
from engine.serving.failures import Job, cancelled_before_start, last_words
from engine.serving.line import WaitingLine
from engine.serving.reporter import Reporter
from engine.serving.sleep import Sleeper
from engine.serving.thread_name import name_this_thread

REPORT_THREAD = "report"
"""Under this name the system shows the thread that measures memory."""


class ServingLoop:
    """Runs one backend behind one channel until the channel closes."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._inbox: queue.SimpleQueue[Job | Cancel | Shutdown] = queue.SimpleQueue()
        self._has_saved = threading.Event()
        self._line = WaitingLine()
        self._running: dict[int, Generate] = {}
        # Each counter has one writing thread. Starting counts as work, so that it can stall.
        self._accepted, self._settled = 1, 0
        self._steps = 0
        self._is_made = False
        self._reporter = Reporter(self._measure, channel.send, lambda: self._is_busy)

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
                        self._wait_for_saving(command)
                        break
                    case _:
                        self._accepted += 1
                        self._inbox.put(command)
                        self._reporter.wake()
        except ProtocolError as error:
            self._die("could not read what it was sent", error)
        leave()

    def _wait_for_saving(self, command: Shutdown) -> None:
        """The other end may be closed by now: it waits for the process to end."""
        if self._is_made and self._backend.memory(0).disk_tier_pending_bytes:
            self._channel.fall_silent()
            self._inbox.put(command)
            self._has_saved.wait(command.seconds)

    def _report(self) -> None:
        name_this_thread(REPORT_THREAD)
        try:
            self._reporter.run()
        except Exception as error:  # a gauge that stands still would lie
            self._die("could not measure its memory", error)

    def _take_commands(self) -> None:
        """Wait for work when idle; between two steps only look."""
        if not self._running and not self._line:
            self._sort(self._sleeper.wait(self._inbox, self._say_asleep))
        while not self._inbox.empty():
            self._sort(self._inbox.get())

    def _sort(self, command: Job | Cancel | Shutdown) -> None:
        match command:
            case Cancel(id=id):
                self._cancel(id)
                self._settled += 1
            case Shutdown(seconds=seconds):
                attempt(lambda: self._backend.save(seconds))
                self._has_saved.set()
            case _:
                self._line.add(command)

    def _advance(self) -> None:
        job = self._line.next_ready(self._running.values())
        if job is not None:
            self._attempt(job)
        elif self._running:
            self._hear(self._backend.step)

    def _hear(self, act: Callable[[], Sequence[AnyEvent]]) -> None:
        """Step or cancel answers and pass on what they say."""
        events = attempt(act)
        if isinstance(events, Caught):
            self._backend.abandon()
            events = [failure(job, events) for job in self._running.values()]
        self._steps += 1
        for event in events:
            if isinstance(event, Finished | Failed):
                self._running.pop(event.id, None)
            self._send(event)

    def _cancel(self, id: int) -> None:
        if id in self._running:
            self._hear(lambda: self._backend.cancel(id))
        elif (job := self._line.remove(id)) is not None:
            self._send(cancelled_before_start(job))

    def _attempt(self, job: Job) -> None:
        caught = attempt(lambda: self._carry_out(job))
        if isinstance(caught, Caught):
            self._send(failure(job, caught))
        self._steps += 1

    def _carry_out(self, job: Job) -> None:
        backend = self._backend
        match job:
            case Generate():
                self._wake()
                backend.submit(job)
                self._running[job.id] = job
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
            case SaveCache(id=id, seconds=seconds):
                saved = backend.save(seconds)
                self._send(CacheSaved(id, saved.entries, saved.nbytes, saved.is_durable))
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

    def _measure(self) -> MemoryReport:
        report = self._backend.memory(len(self._line))
        return structs.replace(report, sleeping=self._sleeper.sleeping)

    def _say_asleep(self) -> None:
        self._channel.send(ModelSlept(NO_REQUEST))
        self._reporter.wake()

    def _planned(self, command: Plan) -> Planned | Failed:
        plan = attempt(lambda: self._backend.plan(command))
        if isinstance(plan, Caught):
            return failure(command, plan)
        return Planned(command.id, plan)

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
