"""The seam between a client and its engine: a process of its own, or one an app shares."""

from __future__ import annotations

from typing import Protocol

from engine.protocol import AnyCommand, AnyEvent


class LinkOwner(Protocol):
    """Who a link reports to. Must not raise."""

    def on_starting(self) -> None:
        """An engine process is about to start."""

    def on_event(self, event: AnyEvent) -> None:
        """The engine said something."""

    def on_death(self, message: str, delay: float | None) -> None:
        """It is gone, and why in a sentence; it comes back after `delay` seconds, or not at all."""


class Audience(Protocol):
    """Who overhears a session: others that share its engine. Must not raise."""

    def on_event(self, event: AnyEvent) -> None:
        """The engine said something, or the session did about its model."""

    def on_death(self, message: str, delay: float | None) -> None:
        """The engine is gone, as a link says it."""


class Link(Protocol):
    """A way to one engine that outlives its processes."""

    @property
    def keeps_model(self) -> bool:
        """Whether the other end loads the model again by itself after a restart."""

    @property
    def pid(self) -> int | None:
        """The engine process's id, while it is known."""

    @property
    def log(self) -> str:
        """What the engine process printed lately."""

    def ensure_running(self) -> None:
        """Start in the background unless that is done; raises EngineStopped after `close`."""

    def revive(self) -> None:
        """As `ensure_running`, for a request of the user's: earlier deaths no longer count."""

    def write(self, command: AnyCommand) -> None:
        """Send a command, or lose it when the engine is just dying; raises ProtocolError."""

    async def close(self) -> None:
        """Leave the engine; a process of our own is gone when this returns."""
