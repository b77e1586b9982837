"""Choosing a model: by name, by a part of it, by path, or by what fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from engine.errors import ModelUnavailable
from engine.models.entry import ModelEntry
from engine.models.folder_walk import is_file, is_folder, real_folder
from engine.models.library import model_at
from engine.plan.contract import MemoryPlan

LARGEST_SHARE = 0.6
"""Of the usable memory, for a model chosen without being asked for; the rest stays free."""

_MOST_CANDIDATES = 8
_LONGEST_WISH = 4096
_PATH_STARTS = ("/", "~", "./", "../")


def choose_model(entries: Sequence[ModelEntry], wanted: str) -> ModelEntry:
    """The model meant by a name, a part of a name in any case, or a path.

    Of two with the same name the first counts; a path tells them apart. The entry may have a
    `problem`. Raises ModelUnavailable with the candidates when none or several are meant.
    """
    wanted = wanted.strip()
    if not wanted:
        raise ModelUnavailable("No model is named; `zib models list` shows what is there.")
    if len(wanted) > _LONGEST_WISH:
        raise ModelUnavailable(f"No model has a name or a path of {len(wanted):,} letters.")
    if wanted in {".", ".."} or wanted.startswith(_PATH_STARTS):
        return _at_path(entries, wanted)
    for entry in entries:
        if entry.name == wanted:
            return entry
    part = wanted.casefold()
    matches = {entry.name: entry for entry in reversed(entries) if part in entry.name.casefold()}
    if len(matches) == 1:
        return next(iter(matches.values()))
    # One name in full is meant even where it is also a part of others.
    whole = [entry for name, entry in matches.items() if part in _whole_names(name)]
    if len(whole) == 1:
        return whole[0]
    if matches:
        raise ModelUnavailable(
            f"{wanted!r} may mean {_listed(sorted(matches, key=str.casefold))}; "
            "give more of the name, or its folder."
        )
    if is_folder(Path(wanted)):
        return _at_path(entries, wanted)
    raise ModelUnavailable(_not_found(entries, wanted))


def choose_loadable(entries: Sequence[ModelEntry], wanted: str) -> ModelEntry:
    """As `choose_model`, but only a model that can be loaded. Raises ModelUnavailable."""
    loadable = [entry for entry in entries if not entry.problem]
    try:
        chosen = choose_model(loadable, wanted)
    except ModelUnavailable:
        # Says what is wrong with the one that was meant, or lists all that might be.
        chosen = choose_model(entries, wanted)
    if chosen.problem:
        raise ModelUnavailable(f"{chosen.name} cannot be loaded. {chosen.problem}")
    return chosen


def choose_automatically(
    entries: Sequence[ModelEntry], plan: Callable[[ModelEntry], MemoryPlan]
) -> ModelEntry:
    """The largest chat model that leaves 40 % of usable memory free, else the built-in one.

    `plan` is asked from the largest down, for downloaded models only. Raises ModelUnavailable
    when there is no built-in entry either.
    """
    for entry in sorted(filter(is_choosable, entries), key=_size, reverse=True):
        bill = plan(entry)
        if bill.fits and bill.total_bytes <= LARGEST_SHARE * bill.usable_bytes:
            return entry
    for entry in entries:
        if entry.source == "builtin":
            return entry
    raise ModelUnavailable(
        "No model fits this machine's memory; `zib models list` shows what each needs."
    )


def is_choosable(entry: ModelEntry) -> bool:
    """Whether it may be chosen without being asked for: whole, here, made to chat."""
    return (
        not entry.problem
        and entry.purpose == "chat"
        and entry.source != "builtin"
        and entry.bytes_on_disk > 0
    )


def _size(entry: ModelEntry) -> tuple[int, int, str]:
    return entry.bytes_on_disk, entry.parameters, entry.name


def _at_path(entries: Sequence[ModelEntry], wanted: str) -> ModelEntry:
    try:
        folder = Path(wanted).expanduser().absolute()
    except RuntimeError as error:
        raise ModelUnavailable(f"{wanted} names the home of a user who does not exist.") from error
    if folder.suffix.lower() == ".gguf" and is_file(folder):
        raise ModelUnavailable(
            f"{folder} is a GGUF file: `zib models import {folder}` makes a model of it."
        )
    real = real_folder(folder)
    for entry in entries:
        if folder == entry.folder or real == real_folder(entry.folder):
            return entry
    return model_at(folder)


def _whole_names(name: str) -> tuple[str, str]:
    folded = name.casefold()
    return folded, folded.rpartition("/")[2]


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_CANDIDATES])
    more = len(names) - _MOST_CANDIDATES
    return f"{shown} and {more} more" if more > 0 else shown


def _not_found(entries: Sequence[ModelEntry], wanted: str) -> str:
    names = sorted({entry.name for entry in entries if not entry.problem}, key=str.casefold)
    here = f"there are {_listed(names)}" if names else "there is none"
    command = f"zib models get {wanted}" if wanted.count("/") == 1 else "zib models list"
    return f"No model called {wanted!r} is on this machine; {here}. Try `{command}`."
