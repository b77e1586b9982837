"""Makes proposals of what was said in a chat. Nothing here writes to the wiki."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tui.assistant.remember.material import Material, NothingToRemember, Origin
from tui.assistant.remember.places import Place, place_at, places_for
from tui.assistant.remember.small_questions import choose, name_of
from tui.assistant.remember.writing import corrected, new_page, with_added
from tui.assistant.side_question import RunningEngine
from tui.assistant.wiki_reader import WikiReader
from vault.errors import NotAllowed, VaultError
from vault.names import stem_of, title_of
from vault.new_path import path_for_new
from vault.review.proposal import Proposal
from vault.review.queue import ReviewQueue, review_dir
from vault.setup import ARTICLES

if TYPE_CHECKING:
    from vault.vault import Vault

_NOT_IN_NAMES = re.compile(r"[^\w\s'.,()&+-]|[.\s]+\Z")
_ACTOR = "chat"
_MOST_TOGETHER = 200
UNSORTED = "Remembered"
"""The page for what belongs nowhere yet."""


class Remember:
    """Asks the wiki where something belongs, and the model only where the wiki cannot tell."""

    def __init__(self, wiki: WikiReader, engine: RunningEngine, data_dir: Path) -> None:
        self._wiki = wiki
        self._engine = engine
        self._data_dir = data_dir

    async def propose(self, material: Material) -> Proposal:
        """Propose it for the page it belongs to. Raises NothingToRemember, VaultError."""
        sought = material.text if material.is_statement else material.title
        places = await self._wiki.ask(lambda vault: _allowed_places(vault, sought))
        place = places[0] if places and places[0].is_named else await self._chosen(sought, places)
        title = "" if place else await self._title(material)
        return await self._wiki.ask(lambda vault: self._propose(vault, material, place, title))

    async def propose_page(self, material: Material, title: str) -> Proposal:
        """Propose it for the page of this name, there or not. Raises VaultError."""
        return await self._wiki.ask(lambda vault: self._propose(vault, material, None, title))

    async def correct(self, path: str, old: str, new: str, origin: Origin) -> Proposal:
        """Propose another wording of a passage. Raises NothingToRemember, VaultError."""
        if old.strip() == new.strip():
            raise NothingToRemember("Nothing was changed, so nothing is proposed.")

        def propose(vault: Vault) -> Proposal:
            _require_writable(vault)
            base = vault.read(path).text or ""
            what = "Take out" if not new.strip() else "Correct"

            def change(before: str | None) -> str:
                return corrected(before or "", old, new, origin, is_ours=vault.is_ours)

            return self._kept(vault, path, base, change, f"{what} a passage", origin)

        return await self._wiki.ask(propose)

    async def _chosen(self, sought: str, places: tuple[Place, ...]) -> Place | None:
        options = [f"{place.title}. {place.about}" for place in places]
        at = await choose(self._engine, sought, options)
        return places[at] if at is not None else None

    async def _title(self, material: Material) -> str:
        if not material.is_statement:
            return material.title
        return await name_of(self._engine, material.text) or UNSORTED

    def _propose(
        self, vault: Vault, material: Material, place: Place | None, title: str
    ) -> Proposal:
        _require_writable(vault)
        path = place.path if place is not None else _path_for(vault, title)
        if place is None and (vault.root / path).exists():
            place = place_at(vault, path)
        base, heading = (place.text, place.heading) if place is not None else (None, "")

        def added(before: str | None) -> str:
            if before is None:
                named = title_of(stem_of(path)) if vault.is_ours else stem_of(path)
                return new_page(named, material, is_ours=vault.is_ours)
            return with_added(before, material, heading, is_ours=vault.is_ours)

        return self._kept(vault, path, base, added, _reason(material), material.origin)

    def _kept(
        self,
        vault: Vault,
        path: str,
        base: str | None,
        change: Callable[[str | None], str],
        reason: str,
        origin: Origin,
    ) -> Proposal:
        """One proposal a page: what waits already and came from a chat goes into the new one."""
        queue = ReviewQueue(review_dir(self._data_dir, vault.root))
        waiting = [
            each
            for each in queue.waiting()
            if (each.path, each.base) == (path, base) and each.actor.startswith(_ACTOR)
        ]
        before = waiting[-1] if waiting else None
        proposal = queue.propose(
            path,
            base,
            change(before.text if before else base),
            reason=_together(before.reason if before else "", reason, "; "),
            source=_together(before.source if before else "", origin.citation, ", "),
            actor=f"{_ACTOR} {origin.hash}".rstrip(),
        )
        if before is not None:
            queue.forget(before)
        return proposal


def _allowed_places(vault: Vault, text: str) -> tuple[Place, ...]:
    _require_writable(vault)
    return places_for(vault, text)


def _require_writable(vault: Vault) -> None:
    if not vault.is_writable:
        raise NothingToRemember(
            "This folder was here before zib, which may not change it yet: F4 on a page asks."
        )


def _path_for(vault: Vault, title: str) -> str:
    consent = vault.set_up.consent
    folder = ARTICLES if vault.is_ours else consent.pages_folder if consent else ""
    for name in (title, " ".join(_NOT_IN_NAMES.sub(" ", title).split()), UNSORTED):
        try:
            return path_for_new(vault.root, name, folder, keeps_spaces=not vault.is_ours)
        except NotAllowed:
            continue
    raise VaultError("No page can be made for it: its folder has a name that does not travel.")


def _reason(material: Material) -> str:
    outside = material.addresses
    named = f"; names {outside} addresses outside the wiki" if outside else ""
    return f"{material.reason}{named}"


def _together(before: str, more: str, between: str) -> str:
    if not before or more in before or not more:
        return before or more
    return f"{before}{between}{more}"[:_MOST_TOGETHER]
