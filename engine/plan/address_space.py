"""Limits that a shell sets for one process: `ulimit -v` and `ulimit -d`. Linux only."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from engine.plan.machine_room import Room, read_text, whole_number

_UNLIMITED = "unlimited"


@dataclass(frozen=True, slots=True)
class _Limit:
    """One line of /proc/self/limits and the line of /proc/self/status it is compared with."""

    limit: str
    use: str
    binding: str


_LIMITS = (
    _Limit("Max address space", "VmSize", "the address-space limit (ulimit -v)"),
    _Limit("Max data size", "VmData", "the data-segment limit (ulimit -d)"),
)


def address_rooms(root: Path, notes: list[str]) -> list[Room]:
    """What this process may still map; empty without such limits.

    Reads `root`/proc/self. Malformed figures count as no limit and are noted.
    """
    limits = read_text(root / "proc/self/limits") or ""
    status = read_text(root / "proc/self/status") or ""
    rooms = []
    for kind in _LIMITS:
        ceiling = _soft_limit(limits, kind, notes)
        if ceiling is None:
            continue
        used = _used(status, kind.use)
        if used is None:
            notes.append(f"{kind.binding} is set, but {kind.use} is unknown, so it is not counted.")
            continue
        rooms.append(Room(max(ceiling - used, 0), kind.binding))
    return rooms


def _soft_limit(limits: str, kind: _Limit, notes: list[str]) -> int | None:
    found = re.search(rf"^{kind.limit}[ \t]+(\S+)", limits, re.MULTILINE)
    if found is None or found[1] == _UNLIMITED:
        return None
    number = whole_number(found[1])
    if number is None:
        notes.append(f"{kind.binding} cannot be read and is not counted.")
    return number


def _used(status: str, name: str) -> int | None:
    found = re.search(rf"^{name}:[ \t]*([0-9]+) kB$", status, re.MULTILINE)
    number = whole_number(found[1]) if found else None
    return None if number is None else number * 1024
