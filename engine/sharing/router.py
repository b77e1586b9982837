"""Carries guests' requests into the engine and the answers back, each under its own id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from msgspec.structs import replace

from engine.errors import ProtocolError, RequestFailed
from engine.protocol import (
    NO_REQUEST,
    AnyCommand,
    AnyEvent,
    Cancel,
    CountTokens,
    Failed,
    ForgetCache,
    Generate,
    LoadModel,
    MemoryReport,
    ModelUnloaded,
    Ping,
    Plan,
    Pong,
    SaveCache,
    Shutdown,
    UnloadModel,
    WorkerReady,
    is_last,
)
from engine.session import EngineSession
from engine.sharing.guest import Guest
from engine.sharing.intake import Received
from engine.sharing.shared_load import SharedLoad

MOST_REQUESTS = 64
MOST_REQUEST_BYTES = 64 * 1024**2
MOST_CONVERSATIONS = 64
MOST_SAVE_SECONDS = 10.0
Forwarded = Generate | CountTokens | Plan | SaveCache | ForgetCache | UnloadModel | Ping


@dataclass(frozen=True, slots=True)
class Route:
    """Whose request it is, under which id, and how many bytes it took."""

    guest: Guest
    id: int
    size: int
    is_answer: bool


class RequestRouter:
    """The guests' requests of one host."""

    def __init__(self, session: EngineSession) -> None:
        self._session = session
        self._routes: dict[int, Route] = {}
        self.load = SharedLoad(session)

    def take(self, guest: Guest, received: Received) -> None:
        """Do what a guest asks. Raises ProtocolError for what no client would send."""
        command = received.command
        match command:
            case Ping(id=id) if id == NO_REQUEST:
                # Asks whether the host lives, not the engine: the host watches that itself.
                guest.send(Pong(NO_REQUEST, 0, busy=False))
            case Shutdown():
                guest.leave()
            case Cancel(id=id):
                self._cancel(guest, id)
            case LoadModel():
                self._check_id(guest, command)
                self.load.ask(guest, command)
            case UnloadModel():
                self._session.abandon_model(RequestFailed("The model was unloaded."))
                self._forward(guest, command, received.size)
            case Generate(conversation=name):
                command = replace(command, conversation=guest.conversation(name))
                self._forward(guest, command, received.size)
                self._remember(guest, command.conversation)
            case ForgetCache(owner=name):
                command = replace(command, owner=guest.conversation(name))
                guest.conversations.pop(command.owner, None)
                self._forward(guest, command, received.size)
            case SaveCache(seconds=seconds):
                # Everybody's answers wait while it is carried out.
                command = replace(command, seconds=min(max(seconds, 0.0), MOST_SAVE_SECONDS))
                self._forward(guest, command, received.size)
            case CountTokens() | Plan() | Ping():
                self._forward(guest, command, received.size)
            case _:
                assert_never(command)

    def deliver(self, event: AnyEvent) -> None:
        """Pass an event of one request to the guest that made it, if a guest did."""
        if isinstance(event, MemoryReport | WorkerReady):
            return
        if (route := self._routes.get(event.id)) is None:
            return
        if is_last(event):
            del self._routes[event.id]
            del route.guest.requests[route.id]
        route.guest.send(replace(event, id=route.id))

    def part(self, guest: Guest) -> None:
        """A guest is gone: stop its answers and free its caches."""
        for id in guest.requests.values():
            if self._routes.pop(id).is_answer:
                self._session.link.write(Cancel(id))
        for conversation in guest.conversations:
            self._forget(conversation)
        guest.requests.clear()
        guest.conversations.clear()
        self.load.part(guest)

    def lose(self) -> None:
        """The engine process died with everything it was asked."""
        for route in self._routes.values():
            route.guest.requests.clear()
            route.guest.conversations.clear()
        self._routes.clear()
        self.load.lose()

    def _forward(self, guest: Guest, command: Forwarded, size: int) -> None:
        self._check_id(guest, command)
        if refusal := self._refusal(guest, size):
            guest.send(Failed(command.id, "bad-request", refusal))
            return
        if not self._session.is_serving:
            guest.send(_unserved(command))
            return
        id = self._session.requests.next_id()
        try:
            self._session.link.write(replace(command, id=id))
        except ProtocolError as error:
            guest.send(Failed(command.id, "bad-request", str(error)))
            return
        self._routes[id] = Route(guest, command.id, size, isinstance(command, Generate))
        guest.requests[command.id] = id

    def _refusal(self, guest: Guest, size: int) -> str:
        if len(guest.requests) >= MOST_REQUESTS:
            return f"More than {MOST_REQUESTS} requests at once are too many: wait for answers."
        size += sum(self._routes[id].size for id in guest.requests.values())
        if size > MOST_REQUEST_BYTES:
            return "The requests under way hold too much text: wait for answers."
        return ""

    def _check_id(self, guest: Guest, command: AnyCommand) -> None:
        if command.id == NO_REQUEST or command.id in guest.requests:
            raise ProtocolError(f"A request has the id {command.id}, which is taken.")

    def _cancel(self, guest: Guest, id: int) -> None:
        if (engine_id := guest.requests.get(id)) is not None:
            self._session.link.write(Cancel(engine_id))

    def _remember(self, guest: Guest, conversation: str) -> None:
        """Keep the names of the latest conversations; the caches of older ones are freed."""
        if not conversation:
            return
        guest.conversations.pop(conversation, None)
        guest.conversations[conversation] = None
        if len(guest.conversations) > MOST_CONVERSATIONS:
            oldest = next(iter(guest.conversations))
            del guest.conversations[oldest]
            self._forget(oldest)

    def _forget(self, conversation: str) -> None:
        self._session.link.write(ForgetCache(self._session.requests.next_id(), conversation))


def _unserved(command: Forwarded) -> Failed | ModelUnloaded:
    if isinstance(command, UnloadModel):
        return ModelUnloaded(command.id)
    return Failed(command.id, "no-model", "The engine is starting: ask again in a moment.")
