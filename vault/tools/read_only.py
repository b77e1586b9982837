"""A wiki opened for the tools alone: nothing in its folder is made, renewed or committed."""

from pathlib import Path

import apsw

from vault.errors import SearchUnavailable
from vault.marker import read_marker
from vault.setup import SetUp
from vault.vault import Vault


class ReadOnlyWiki:
    """The wiki at `root`, once there is one; its index is kept in `data_dir`."""

    def __init__(self, root: Path, data_dir: Path) -> None:
        self._root = root
        self._data_dir = data_dir
        self._vault: Vault | None = None

    def opened(self) -> Vault | None:
        """The wiki as its files are now; None without one. Raises VaultError.

        Nobody tells of changes, so every file is looked at.
        """
        if not self._root.is_dir():
            self._vault = None
            return None
        try:
            if self._vault is None:
                root = self._root.resolve(strict=True)
                is_ours = read_marker(root) is not None
                self._vault = Vault(SetUp(root, is_ours), data_dir=self._data_dir)
            self._vault.index.refresh()
        except (apsw.Error, OSError) as error:
            raise SearchUnavailable(f"The wiki cannot be searched: {error}.") from error
        return self._vault
