"""Sets up the wiki folder: adds what is missing, never touches what a user may have written."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from vault import os_errors
from vault.atomic import create_file, digest, replace_file, temporary_owner
from vault.confined import opened_place, read_regular
from vault.consent import Consent, Consents
from vault.errors import NotAllowed, VaultUnusable
from vault.history.commit import CommitResult, commit_paths
from vault.history.home import find_home, start_history
from vault.marker import MARKER_NAME, Marker, read_marker, write_marker

ARTICLES, REFERENCE, META, TALK = "articles", "Reference", "Meta", "Talk"
OUR_FOLDERS = (ARTICLES, META, REFERENCE, TALK)
_UNIMPORTANT = {".DS_Store", ".localized", "Thumbs.db", "desktop.ini", "lost+found"}
_MOST_SEED_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class SetUp:
    """What `prepare` found and did; `created` holds the relative paths it wrote.

    `is_ours` is false for a folder that was there before: nothing in it was changed, and nothing
    may be until there is a `consent`. `commit` is None when nothing was written.
    """

    root: Path
    is_ours: bool
    created: tuple[str, ...] = ()
    commit: CommitResult | None = None
    consent: Consent | None = None

    @property
    def is_writable(self) -> bool:
        """Whether notes may be changed."""
        return self.is_ours or self.consent is not None


def prepare(root: Path, consents: Consents | None = None, data_dir: Path | None = None) -> SetUp:
    """Make `root` a wiki unless it is somebody's folder already. Raises VaultUnusable.

    Its history goes into `data_dir` where the folder is not the place for it.
    """
    try:
        root = _existing_folder(root)
        marker = read_marker(root)
        if marker is None:
            if not _is_empty(root):
                return SetUp(root, False, consent=consents.find(root) if consents else None)
            marker = Marker()
            return _set_up(root, marker, data_dir)
        with contextlib.suppress(OSError):
            return _set_up(root, marker, data_dir)
        # A wiki of ours on a disk that cannot be written can still be read.
        return SetUp(root, is_ours=True)
    except (OSError, NotAllowed) as error:
        why = os_errors.reason(error) if isinstance(error, OSError) else str(error)
        raise VaultUnusable(
            f"The wiki folder {root} cannot be used: {why}. Choose another with the wiki setting."
        ) from error


def _existing_folder(root: Path) -> Path:
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    return root.resolve(strict=True)


def _is_empty(root: Path) -> bool:
    names = [entry.name for entry in root.iterdir()]
    return all(name in _UNIMPORTANT or temporary_owner(name) is not None for name in names)


def _set_up(root: Path, marker: Marker, data_dir: Path | None) -> SetUp:
    written: dict[str, bytes] = {}
    is_first_time = read_marker(root) is None
    if is_first_time:
        written[MARKER_NAME] = write_marker(root, marker)
    for folder in OUR_FOLDERS:
        with contextlib.suppress(FileExistsError):
            (root / folder).mkdir()
    for relative, content in _seed_pages(with_articles=not marker.is_seeded):
        if _create_if_missing(root, relative, content):
            written[relative] = content
    finished, refreshed = _refresh_reference(root, replace(marker, is_seeded=True))
    written |= refreshed
    if finished != marker:
        written[MARKER_NAME] = write_marker(root, finished)
    home = find_home(root, data_dir, is_ours=True)
    start_history(home)
    if not written:
        return SetUp(root, is_ours=True)
    subject = "Set up the wiki" if is_first_time else "Refresh the pages that come with zib"
    commit = commit_paths(home, written, subject, "zib")
    return SetUp(root, True, tuple(written), commit)


def _seed_pages(*, with_articles: bool) -> Iterator[tuple[str, bytes]]:
    seed = files("vault") / "seed"
    yield "README.md", (seed / "README.md").read_bytes()
    yield ".gitignore", (seed / "gitignore").read_bytes()
    for folder in (META, ARTICLES) if with_articles else (META,):
        for page in _pages(seed / folder):
            yield f"{folder}/{page.name}", page.read_bytes()


def _pages(folder: Traversable) -> list[Traversable]:
    pages = (page for page in folder.iterdir() if page.name.endswith(".md"))
    return sorted(pages, key=lambda page: page.name)


def _create_if_missing(root: Path, relative: str, content: bytes, mode: int = 0o666) -> bool:
    try:
        with opened_place(root, relative) as place:
            create_file(place, content, mode)
    except (FileExistsError, NotAllowed):
        # It is there already, or its folder is a link of the user's to somewhere else.
        return False
    return True


def _refresh_reference(root: Path, marker: Marker) -> tuple[Marker, dict[str, bytes]]:
    """Add new reference pages and renew those that are still as we last wrote them."""
    known = dict(marker.reference)
    written: dict[str, bytes] = {}
    for page in _pages(files("vault") / "seed" / REFERENCE):
        relative, content = f"{REFERENCE}/{page.name}", page.read_bytes()
        if _create_if_missing(root, relative, content, 0o444) or _renew(
            root, relative, content, known.get(page.name)
        ):
            written[relative] = content
            known[page.name] = digest(content)
    return replace(marker, reference=known), written


def _renew(root: Path, relative: str, content: bytes, last_written: str | None) -> bool:
    try:
        with opened_place(root, relative) as place:
            status, old = read_regular(place, _MOST_SEED_BYTES)
            if old == content or digest(old) != last_written:
                return False
            replace_file(place, content, status, digest(old))
    except (OSError, NotAllowed):
        # The user put something else there, a link or a folder: it stays theirs.
        return False
    return True
