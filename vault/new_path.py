"""Where a new page goes: names that travel, in folders spelled as they are on the disk."""

import os
from pathlib import Path

from vault.names import check_folder_name, check_note_path, check_path, identity_key, stem_for


def path_for_new(root: Path, title: str, folder: str = "", *, keeps_spaces: bool = False) -> str:
    """Return the path of a page to be called `title`; `keeps_spaces` names it as it is typed.

    Raises NotAllowed for a name that does not travel, also that of a folder still to be made.
    """
    name = f"{stem_for(title, keeps_spaces=keeps_spaces)}.md"
    settled = settled_folder(root, folder)
    return check_note_path(f"{settled}/{name}" if settled else name)


def settled_folder(root: Path, folder: str) -> str:
    """Return a folder's path as the disk spells it, where it has it. Raises NotAllowed."""
    if not folder:
        return ""
    settled: list[str] = []
    for part in check_path(folder).split("/"):
        there = _names_in(root.joinpath(*settled))
        key = identity_key(part)
        twin = part if part in there else next((n for n in there if identity_key(n) == key), None)
        settled.append(check_folder_name(part) if twin is None else twin)
    return "/".join(settled)


def _names_in(folder: Path) -> frozenset[str]:
    try:
        return frozenset(os.listdir(folder))  # noqa: PTH208 - names, not paths
    except OSError:
        return frozenset()
