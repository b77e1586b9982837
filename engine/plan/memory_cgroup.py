"""Memory limits of the control groups this process is in, versions 1 and 2."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from engine.plan.machine_room import Room, read_text, shown, whole_number

_MAX_DEPTH = 64
_NO_LIMIT = 1 << 60
"""Version 1 writes 'none' as the largest page-aligned number; no machine has this much."""
_ESCAPED = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class _Mount:
    """Where a hierarchy is mounted, and which group of it the mount shows at its top."""

    point: Path
    top: str


@dataclass(frozen=True, slots=True)
class _Files:
    """What one version calls its files. `limits` pairs each limit with its usage."""

    limits: tuple[tuple[str, str], ...]
    reclaimable: tuple[str, ...]


_V1 = _Files(
    (
        ("memory.limit_in_bytes", "memory.usage_in_bytes"),
        ("memory.memsw.limit_in_bytes", "memory.memsw.usage_in_bytes"),
    ),
    ("total_inactive_file", "inactive_file"),
)
_V2 = _Files(
    (("memory.max", "memory.current"), ("memory.high", "memory.current")),
    ("inactive_file",),
)


def cgroup_rooms(root: Path, notes: list[str]) -> list[Room]:
    """What may still be taken under every limit from this process's group up to the top.

    Reads `root`/proc/self and the hierarchies mounted under `root`. Malformed files count as no
    limit and are noted. Page cache that the kernel gives back by itself counts as free.
    """
    groups = read_text(root / "proc/self/cgroup") or ""
    mounts = read_text(root / "proc/self/mountinfo") or ""
    rooms: list[Room] = []
    for line in groups.splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            rooms += _rooms(_V2, _mount(root, mounts, is_v1=False), path, notes)
        elif "memory" in controllers.split(","):
            mount = _mount(root, mounts, is_v1=True)
            rooms += _rooms(_V1, mount, path, notes)
            rooms += _hidden_rooms(mount, path)
    return rooms


def _mount(root: Path, mounts: str, *, is_v1: bool) -> _Mount:
    """Where the hierarchy is; the usual place when the table of mounts does not say."""
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        fields, kind = before.split(" "), after.split(" ")
        if len(fields) < 5 or len(kind) < 3:
            continue
        is_wanted = (
            kind[0] == "cgroup" and "memory" in kind[2].split(",")
            if is_v1
            else kind[0] == "cgroup2"
        )
        if is_wanted:
            return _Mount(root / _unescape(fields[4]).lstrip("/"), _unescape(fields[3]))
    return _Mount(root / ("sys/fs/cgroup/memory" if is_v1 else "sys/fs/cgroup"), "/")


def _unescape(field: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 8)), field)


def _folder(mount: _Mount, path: str) -> Path:
    """The folder of the group at `path`, or the nearest group above it that can be seen.

    A container may see only its own group as the top of the mount, under a path that names the
    host's groups, or as one outside its namespace (`/..`).
    """
    parts = PurePosixPath(path).parts[1:]
    top = PurePosixPath(mount.top).parts[1:]
    if top and parts[: len(top)] == top:
        parts = parts[len(top) :]
    if ".." in parts or len(parts) > _MAX_DEPTH:
        parts = ()
    folder = mount.point.joinpath(*parts)
    while folder != mount.point and not _is_folder(folder):
        folder = folder.parent
    return folder


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _ancestors(mount: _Mount, path: str) -> list[Path]:
    """The group's folder and those above it, up to the top of the mount."""
    folder = _folder(mount, path)
    found = [folder]
    while folder != mount.point:
        folder = folder.parent
        found.append(folder)
    return found


def _rooms(files: _Files, mount: _Mount, path: str, notes: list[str]) -> list[Room]:
    rooms: list[Room] = []
    for folder in _ancestors(mount, path):
        for limit_file, use_file in files.limits:
            limit = _limit(folder / limit_file, mount, notes)
            if limit is None:
                continue
            used = whole_number(read_text(folder / use_file) or "")
            if used is None:
                notes.append(f"The use of {_label(folder, mount)} is unknown: not counted.")
                continue
            rooms.append(_room(files, folder, limit, used, _label(folder, mount)))
    return rooms


def _room(files: _Files, folder: Path, limit: int, used: int, label: str) -> Room:
    reclaimable = min(_statistic(folder, files.reclaimable), used)
    return Room(max(limit - used + reclaimable, 0), label)


def _hidden_rooms(mount: _Mount, path: str) -> list[Room]:
    """Version 1 also tells the smallest limit of all groups above, visible or not.

    What those groups use is not told: at least what the topmost visible one does.
    """
    folders = _ancestors(mount, path)
    limit = _statistic(folders[0], ("hierarchical_memory_limit",))
    used = whole_number(read_text(mount.point / "memory.usage_in_bytes") or "")
    if not 0 < limit < _NO_LIMIT or used is None:
        return []
    visible = (
        whole_number(read_text(folder / "memory.limit_in_bytes") or "") for folder in folders
    )
    if any(seen is not None and seen <= limit for seen in visible):
        return []
    return [_room(_V1, mount.point, limit, used, f"a group above {_label(mount.point, mount)}")]


def _limit(file: Path, mount: _Mount, notes: list[str]) -> int | None:
    text = read_text(file)
    if text is None or text.strip() in {"max", "-1"}:
        return None
    number = whole_number(text)
    if number is None:
        name = f"{_label(file.parent, mount)} ({file.name})"
        notes.append(f"The limit of {name} cannot be read: not counted.")
        return None
    return None if number >= _NO_LIMIT else number


def _statistic(folder: Path, names: tuple[str, ...]) -> int:
    """The first of these lines of memory.stat, 0 without one."""
    lines = dict(
        line.split(" ", 1)
        for line in (read_text(folder / "memory.stat") or "").splitlines()
        if " " in line
    )
    for name in names:
        number = whole_number(lines.get(name, ""))
        if number is not None:
            return number
    return 0


def _label(folder: Path, mount: _Mount) -> str:
    relative = folder.relative_to(mount.point).as_posix()
    return f"the memory cgroup {shown('/' if relative == '.' else f'/{relative}')}"
