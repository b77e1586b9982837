"""What else the pages of a wiki are called, read once for each state of a file."""

from pathlib import Path

from vault.errors import VaultError
from vault.files import read_article
from vault.links.known import PageNames, read_page_names
from vault.listing import VaultListing

_MOST_NAMED = 50_000
_Version = tuple[str, int, int]


class KeptNames:
    """The names of the pages under `root`; any thread may ask."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._names: dict[_Version, PageNames] = {}

    def of(self, listing: VaultListing) -> dict[str, PageNames]:
        """The names of the notes listed, by path; what did not change is not read again."""
        known: dict[_Version, PageNames] = {}
        for note in listing.notes[:_MOST_NAMED]:
            version = (note.path, note.size, note.modified_ns)
            names = self._names.get(version)
            if names is None:
                try:
                    names = read_page_names(read_article(self._root, note.path).text or "")
                except VaultError:
                    continue
            known[version] = names
        self._names = known
        return {path: names for (path, _, _), names in known.items()}
