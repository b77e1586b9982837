"""The one load of a shared engine: who asked for it, and what each guest hears of it."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from engine.protocol import (
    NO_REQUEST,
    Failed,
    LoadModel,
    ModelLoaded,
    ModelLoading,
    ModelSlept,
    ModelUnloaded,
)
from engine.session import EngineSession
from engine.sharing.guest import Guest
from engine.status import EngineAsleep
from engine.wanted_model import ModelChoice, place_of

ModelNews = ModelLoading | ModelLoaded | ModelUnloaded | ModelSlept | Failed
_MOST_ASKERS = 64


class SharedLoad:
    """Loads go through the host's session, so that host and guests always want the same model."""

    def __init__(self, session: EngineSession) -> None:
        self._session = session
        self._asked: ModelChoice | None = None
        self._askers: list[tuple[Guest, int]] = []

    def ask(self, guest: Guest, command: LoadModel) -> None:
        """Load for everybody, unless that very model is there or on its way."""
        wanted = self._session.wanted
        choice = ModelChoice(command.path, command.adapter, command.draft, command.is_forced)
        model = wanted.model
        if model is not None and place_of(model) == choice.place:
            guest.send(ModelLoaded(command.id, model, 0.0))
            if isinstance(self._session.status, EngineAsleep):
                guest.send(ModelSlept(NO_REQUEST))
            return
        self._session.revive()
        if not (wanted.is_coming and wanted.choice == choice):
            self._session.choose(choice)
        self._refuse_replaced()
        self._asked = wanted.choice
        if len(self._askers) == _MOST_ASKERS:
            guest.send(Failed(command.id, "bad-request", "Too many wait for this model."))
        else:
            self._askers.append((guest, command.id))

    def tell(self, guests: Iterable[Guest], news: ModelNews) -> None:
        """Tell everybody; those who asked hear it under their own id."""
        self._refuse_replaced()
        askers = () if isinstance(news, ModelSlept | ModelUnloaded) else tuple(self._askers)
        for guest, id in askers:
            guest.send(replace(news, id=id))
        informed = {guest for guest, _ in askers}
        for guest in guests:
            if guest not in informed:
                guest.send(replace(news, id=NO_REQUEST))
        if isinstance(news, ModelLoaded | Failed):
            self._askers.clear()

    def part(self, guest: Guest) -> None:
        """A guest is gone; what it chose stays chosen."""
        self._askers = [asker for asker in self._askers if asker[0] is not guest]

    def lose(self) -> None:
        """The engine died; the load is repeated, and then nobody's own."""
        self._askers.clear()

    def _refuse_replaced(self) -> None:
        if self._askers and self._asked is not self._session.wanted.choice:
            for guest, id in self._askers:
                guest.send(Failed(id, "load", "Another model was chosen."))
            self._askers.clear()
