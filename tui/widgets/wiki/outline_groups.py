"""What the tree shows: pages in groups. Pure values made from a listing."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from vault.index.groups import PageGroup, PageGroups
from vault.listing import Folder, Note, VaultListing
from vault.names import identity_key

MOST_RECENT = 200
NEVER_OPENED: Mapping[str, int] = MappingProxyType({})
_MOST_TAG_LEVELS = 8


class View(StrEnum):
    """The ways to look at the pages, in the order of their keys."""

    FOLDERS = "folders"
    CATEGORIES = "categories"
    TAGS = "tags"
    RECENT = "recent"
    PINNED = "pinned"


@dataclass(frozen=True, slots=True)
class Group:
    """A folder, category or tag; `key` tells it from all others, `total` counts what is below."""

    key: str
    title: str
    groups: tuple[Group, ...] = ()
    notes: Sequence[Note] = ()
    total: int = 0


@dataclass(slots=True)
class _Branch:
    title: str
    paths: list[str] = field(default_factory=list)
    below: dict[str, _Branch] = field(default_factory=dict)


def group_notes(
    view: View,
    listing: VaultListing,
    groups: PageGroups,
    pinned: Sequence[str],
    opened: Mapping[str, int] = NEVER_OPENED,
) -> Group:
    """Put the pages in the groups of a view; `opened` says when, in nanoseconds."""
    match view:
        case View.FOLDERS:
            return folder_group(listing.top)
        case View.RECENT:

            def used(note: Note) -> int:
                return max(note.modified_ns, opened.get(note.path, 0))

            return _flat(heapq.nlargest(MOST_RECENT, listing.notes, key=used))
    notes = {note.path: note for note in listing.notes}
    match view:
        case View.CATEGORIES:
            return _named(groups.categories, notes)
        case View.TAGS:
            return _tags(groups.tags, notes)
        case View.PINNED:
            return _flat([notes[path] for path in pinned if path in notes])


def folder_group(folder: Folder) -> Group:
    """A folder with what is below it."""
    groups = tuple(folder_group(each) for each in folder.folders)
    total = len(folder.notes) + sum(each.total for each in groups)
    return Group(f"{folder.path}/", folder.name, groups, folder.notes, total)


def _flat(notes: Sequence[Note]) -> Group:
    return Group("", "", (), notes, len(notes))


def _named(named: Iterable[PageGroup], notes: Mapping[str, Note]) -> Group:
    groups: list[Group] = []
    for each in named:
        found = [notes[path] for path in each.paths if path in notes]
        if found:
            groups.append(Group(f"category:{each.name}", each.name, (), found, len(found)))
    groups.sort(key=lambda group: identity_key(group.title))
    return Group("", "", tuple(groups), (), len(groups))


def _tags(named: Iterable[PageGroup], notes: Mapping[str, Note]) -> Group:
    """Tags nested by their slashes."""
    top = _Branch("")
    for each in named:
        branch = top
        for part in each.name.split("/", _MOST_TAG_LEVELS - 1):
            branch = branch.below.setdefault(part.casefold(), _Branch(part))
        branch.paths += [path for path in each.paths if path in notes]
    return _tag_group("tag:", "", top, notes)


def _tag_group(key: str, title: str, branch: _Branch, notes: Mapping[str, Note]) -> Group:
    groups = tuple(
        group
        for part, below in sorted(branch.below.items())
        if (group := _tag_group(f"{key}{part}/", below.title, below, notes)).total
    )
    found = [notes[path] for path in dict.fromkeys(branch.paths)]
    return Group(key, title, groups, found, len(found) + sum(each.total for each in groups))
