"""Which folders that were there before zib the user lets it write to, and where its own pages go.

Kept in the data folder, one file for each folder's real path: nothing in the folder changes for it.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from vault import os_errors
from vault.errors import NotAllowed, VaultUnusable
from vault.names import check_folder_name, check_path, displayable
from vault.private_files import read_private, write_private
from vault.root import folder_key

PAGES_FOLDER = "Zibaldone"
_MOST_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Consent:
    """`pages_folder` is the path, in the folder, of the pages zib writes by itself."""

    pages_folder: str


class Consents:
    """What was agreed to, in files under `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, root: Path) -> Consent | None:
        """Return what was agreed to for this folder; None also when that cannot be read."""
        try:
            stored = json.loads(read_private(self._folder, _name_for(root), _MOST_BYTES))
            return Consent(checked_folder(stored["pages"]))
        except (
            OSError,
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            RecursionError,
            NotAllowed,
        ):
            return None

    def give(self, root: Path, pages_folder: str) -> Consent:
        """Remember that the user agrees. Raises NotAllowed for a folder that cannot be one."""
        consent = Consent(checked_folder(pages_folder))
        stored = {"path": displayable(os.fspath(root)), "pages": consent.pages_folder}
        content = (json.dumps(stored, ensure_ascii=False, indent=1) + "\n").encode()
        try:
            write_private(self._folder, _name_for(root), content)
        except OSError as error:
            raise VaultUnusable(
                f"The agreement could not be kept in {self._folder}: {os_errors.reason(error)}."
            ) from error
        return consent

    def withdraw(self, root: Path) -> bool:
        """Forget it; whether there was one."""
        path = self._folder / _name_for(root)
        is_there = path.is_file()
        path.unlink(missing_ok=True)
        return is_there


def checked_folder(path: str) -> str:
    """Return a folder's path when every part of it is a name that travels. Raises NotAllowed."""
    plain = check_path(path.strip().strip("/"))
    return "/".join(check_folder_name(part.strip()) for part in plain.split("/"))


def _name_for(root: Path) -> str:
    return f"{folder_key(root)}.json"
