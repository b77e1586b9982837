"""One opened wiki: the door the terminal uses. Every call blocks; any thread may make it."""

import functools
import threading
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from vault.consent import PAGES_FOLDER, Consents
from vault.editing import Editing
from vault.errors import ConsentNeeded, NotAllowed
from vault.files import ArticleFile, read_article
from vault.history.commit import CommitResult
from vault.history.history import History
from vault.history.home import find_home, start_history
from vault.history.log import Revision
from vault.history.recover import recover
from vault.history.state import Skipped, SkipReason
from vault.index.index import Index, Progress
from vault.index.kept import KeptIndex
from vault.kept_names import KeptNames
from vault.links.backlinks import Backlink, find_backlinks
from vault.links.known import PageNames
from vault.links.link import Link
from vault.links.resolve import LinkResolver, Resolution
from vault.listing import VaultListing, list_vault
from vault.moving.moves import Moves
from vault.moving.replacement import Replacement
from vault.obsidian import Conventions, Exclusions, read_conventions
from vault.recall.recall import Recall
from vault.search.search import Search
from vault.setup import META, REFERENCE, TALK, SetUp, prepare
from vault.written import Written

_YOU = "you"
_NEEDS_CONSENT = "this folder was here before zib and you have not let zib change it"


class Vault:
    """Reads, writes and lists one wiki; writes and their commits happen one at a time."""

    def __init__(
        self, set_up: SetUp, consents: Consents | None = None, data_dir: Path | None = None
    ) -> None:
        self.root: Path = set_up.root
        self.is_ours: bool = set_up.is_ours
        self.set_up = set_up
        self.conventions = Conventions() if set_up.is_ours else read_conventions(set_up.root)
        self._consents = consents
        self._excluded = Exclusions(self.conventions.excluded)
        self._names = KeptNames(self.root)
        self._writing = threading.Lock()
        self._index = KeptIndex(self.root, data_dir, self._excluded)
        self.home = find_home(self.root, data_dir, is_ours=self.is_ours)
        if not self.is_ours and self.is_writable:
            start_history(self.home)
        self.history = History(self)
        self.moves = Moves(self, self._writing)
        self._editing = Editing(self, self._writing)

    @property
    def is_writable(self) -> bool:
        """Whether notes may be changed: in a folder that is not ours only by consent."""
        return self.set_up.is_writable

    def agree(self, pages_folder: str = PAGES_FOLDER) -> None:
        """The user lets zib change notes here, and write its own pages into one folder.

        Raises NotAllowed for a folder name that does not travel.
        """
        if self.is_ours:
            raise NotAllowed("This wiki was made by zib, so it needs no permission here.")
        if self._consents is None:
            raise ConsentNeeded("Permission cannot be kept: there is no place for it.")
        consent = self._consents.give(self.root, pages_folder)
        self.set_up = replace(self.set_up, consent=consent)
        start_history(self.home)

    def listing(self) -> VaultListing:
        """List the notes as they are now."""
        return list_vault(self.root, self._excluded)

    def resolver(self, listing: VaultListing) -> LinkResolver:
        """Return a resolver for the links of the notes in `listing`."""
        paths = [note.path for note in listing.notes]
        return LinkResolver(paths, lambda: self.names(listing))

    def names(self, listing: VaultListing) -> dict[str, PageNames]:
        """Read what else the notes are called; what did not change is not read again."""
        return self._names.of(listing)

    @property
    def index(self) -> Index:
        """The index, read from the files when it is first asked for. Raises SearchUnavailable."""
        return self._index.opened()

    @property
    def is_index_ready(self) -> bool:
        """Whether the index answers at once. Never blocks."""
        return self._index.is_ready

    @property
    def index_progress(self) -> Progress | None:
        """How far the index has come while somebody waits for it. Never blocks."""
        return self._index.progress

    @functools.cached_property
    def search(self) -> Search:
        """Finds pages; what goes for `index` goes for its questions too."""
        return Search(self._index.opened)

    @functools.cached_property
    def recall(self) -> Recall:
        """Finds what belongs to a question; what goes for `index` goes for it too."""
        apart = (f"{REFERENCE}/", f"{META}/", f"{TALK}/", "README.md") if self.is_ours else ()
        templates = self.conventions.templates_folder
        return Recall(self._index.opened, (*apart, f"{templates}/") if templates else apart)

    def note_changes(self, paths: Iterable[str]) -> None:
        """These files may have changed: the index looks at them again."""
        self._index.note(paths)

    def doubt_index(self) -> None:
        """Files may have changed unseen: the index looks at all of them before its next answer."""
        self._index.doubt()

    def close(self) -> None:
        """Let go of the index; a later question opens it again."""
        self._index.close()

    def resolve(self, link: Link, from_path: str) -> Resolution:
        """Resolve one link against the files as they are now."""
        return self.resolver(self.listing()).resolve(link, from_path)

    def backlinks(self, relative: str) -> tuple[Backlink, ...]:
        """Find the links of other pages to this one."""
        listing = self.listing()
        paths = [note.path for note in listing.notes]
        return find_backlinks(relative, paths, self.names(listing), self.read)

    def read(self, relative: str) -> ArticleFile:
        """Read an article; the pages that come with zib are read-only."""
        file = read_article(self.root, relative)
        if self.is_reference(relative):
            return replace(file, read_only_reason="it comes with zib and is renewed with it")
        if not self.is_writable:
            return replace(file, read_only_reason=file.read_only_reason or _NEEDS_CONSENT)
        return file

    def save(
        self,
        relative: str,
        text: str,
        base: ArticleFile,
        actor: str = _YOU,
        subject: str = "",
        *,
        is_exact: bool = False,
    ) -> Written:
        """Save an edited article and commit it; the save stands even when the commit cannot be.

        A text that `is_exact` has the line breaks it is to have.
        """
        return self._editing.save(relative, text, base, actor, subject, is_exact=is_exact)

    def set_aside(self, relative: str, text: str, base: ArticleFile) -> Written:
        """Keep an unsaved text in a conflict copy beside its page, and commit that."""
        return self._editing.set_aside(relative, text, base, _YOU)

    def create(
        self,
        title: str,
        folder: str | None = None,
        actor: str = _YOU,
        text: str | None = None,
        body: str = "",
    ) -> Written:
        """Create an article called `title` and commit it.

        It has `text`, or else a heading and `body`. Links that led to another page of its name
        are written so that they still do.
        """
        return self._editing.create(title, folder, actor, text, body)

    def put(
        self,
        found: Mapping[str, bytes | None],
        changes: Mapping[str, bytes | None],
        subject: str,
        actor: str = _YOU,
    ) -> CommitResult:
        """Make pages what `changes` says, None for no page, in one commit; all of them or none.

        Raises PageChanged when one is no longer what was `found`, SaveFailed, NotAllowed.
        """
        return self.moves.put(Replacement(found, changes), subject, actor).commit

    def log(self, relative: str, limit: int = 50) -> tuple[Revision, ...]:
        """Return the revisions of an article, newest first."""
        return self.history.log(relative, limit)

    def recover(self) -> CommitResult:
        """Finish what a crash cut short, and commit what is in no commit yet.

        Without consent nothing is committed.
        """
        if not self.is_writable:
            return Skipped(SkipReason.NOT_OURS, f"Nothing was committed: {_NEEDS_CONSENT}.")
        self.moves.finish_interrupted()
        with self._writing:
            return recover(self.home)

    def require_consent(self) -> None:
        """Raise ConsentNeeded where notes may not be changed."""
        if not self.is_writable:
            raise ConsentNeeded(
                f"Nothing was written: {_NEEDS_CONSENT}. Allow it with `zib memory init`."
            )

    def is_reference(self, relative: str) -> bool:
        """Whether a page is one of those that come with zib."""
        return self.is_ours and relative.startswith(f"{REFERENCE}/")


def open_vault(root: Path, consents: Consents | None = None, data_dir: Path | None = None) -> Vault:
    """Open the wiki at `root`, setting it up first if it is new. Raises VaultUnusable.

    The index of the wiki is kept in `data_dir`, and its history where it cannot be in the folder;
    without it nothing can be searched. Call `recover` on the wiki once, in the background: it may
    read every article.
    """
    return Vault(prepare(root, consents, data_dir), consents, data_dir)
