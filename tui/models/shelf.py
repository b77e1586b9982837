"""What can be chosen: the models on this machine, and those recommended for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.models.entry import ModelEntry
from engine.models.places import ModelPlaces
from tui.models.downloads import Fetch
from tui.models.local_plan import PlanFolder

SHORTEST_FACT = 3
"""Letters of a word that may mean more than a part of a name."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A model that is recommended for this machine and not on it yet."""

    repository: str
    bytes: int
    licence: str
    purpose: str
    """What it is recommended for, such as `chat`."""
    memory: str
    """The machines it is recommended for, such as `16 GiB`."""

    @property
    def name(self) -> str:
        """As the list shows it."""
        return self.repository


OffersBeside = Callable[[Sequence[ModelEntry]], tuple[Offer, ...]]
"""The models recommended for this machine that are not among these."""

Item = ModelEntry | Offer


@dataclass(frozen=True, slots=True)
class Shelf:
    """Entries in the order of the library, offers in the order of the recommendations."""

    entries: tuple[ModelEntry, ...] = ()
    offers: tuple[Offer, ...] = ()


@dataclass(frozen=True, slots=True)
class Shop:
    """Where models and adapters come from."""

    places: ModelPlaces
    adapters_dir: Path
    adapter: str
    """The LoRA folder that the settings name, or empty."""
    offers: OffersBeside
    plan: PlanFolder
    """For when there is no engine to ask."""
    fetch: Fetch


def item_id(item: Item) -> str:
    """The same for the same model, however often the shelf is looked at."""
    return f"get:{item.repository}" if isinstance(item, Offer) else str(item.folder)


def first_choice(shelf: Shelf, loaded: str, builtin: Path) -> str:
    """The loaded model's id; but a demo leads on to the first model that is recommended."""
    if loaded in {"", str(builtin)} and shelf.offers:
        return item_id(shelf.offers[0])
    return loaded


def sections(shelf: Shelf, words: str) -> tuple[tuple[str, tuple[Item, ...]], ...]:
    """The items that match every word, under their headings; headings without items are left out.

    Broken ones come last, the built-in one after all others that can be loaded.
    """
    usable = [entry for entry in shelf.entries if not entry.problem]
    usable.sort(key=lambda entry: (entry.source == "builtin", entry.name.casefold()))
    # What is offered is not also shown as the half it is.
    offered = {offer.repository for offer in shelf.offers}
    broken = [entry for entry in shelf.entries if entry.problem and entry.name not in offered]
    memory = shelf.offers[0].memory if shelf.offers else ""
    groups: tuple[tuple[str, list[ModelEntry] | tuple[Offer, ...]], ...] = (
        ("On this machine", usable),
        (f"Recommended for {memory}", shelf.offers),
        ("Cannot be loaded", broken),
    )
    wanted = words.casefold().split()
    found = (
        (heading, tuple(item for item in items if _matches(item, wanted)))
        for heading, items in groups
    )
    return tuple((heading, items) for heading, items in found if items)


def _matches(item: Item, words: list[str]) -> bool:
    """Whether each word is a part of the name, or begins something else that is known of it."""
    facts: tuple[str, ...]
    if isinstance(item, Offer):
        facts = (item.purpose, item.licence)
    else:
        demo = "demo" if item.source == "builtin" else ""
        facts = (item.quantization, item.architecture, *item.capabilities, item.licence, demo)
    name = item.name.casefold()
    others = " ".join(facts).casefold().split()
    return all(
        word in name
        or (len(word) >= SHORTEST_FACT and any(fact.startswith(word) for fact in others))
        for word in words
    )
