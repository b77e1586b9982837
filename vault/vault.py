"""One opened wiki: the door the terminal uses. Every call blocks; any thread may make it."""

import functools
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from vault.consent import PAGES_FOLDER, Consents
from vault.errors import ConsentNeeded, NotAllowed, ReadOnlyArticle, VaultError
from vault.files import ArticleFile, read_article
from vault.history.commit import CommitResult, commit_paths
from vault.history.history import History
from vault.history.home import find_home, start_history
from vault.history.log import Revision
from vault.history.recover import recover
from vault.history.state import Skipped, SkipReason
from vault.index.index import Index, Progress
from vault.index.kept import KeptIndex
from vault.links.backlinks import Backlink, find_backlinks
from vault.links.known import PageNames, read_page_names
from vault.links.link import Link
from vault.links.resolve import LinkResolver, Resolution
from vault.listing import VaultListing, list_vault
from vault.moving.carry_out import EditedPage
from vault.moving.change import SkippedPage
from vault.moving.moves import Moves
from vault.moving.replacement import Replacement
from vault.names import displayable, stem_of, title_of
from vault.new_path import path_for_new
from vault.obsidian import Conventions, Exclusions, read_conventions
from vault.saving import Outcome, Saved, save_article, write_conflict_copy
from vault.search.search import Search
from vault.setup import ARTICLES, META, REFERENCE, TALK, SetUp, prepare

_YOU = "you"
_MOST_NAMED = 50_000
_WRITTEN_FOLDERS = (ARTICLES, TALK, META)
_Version = tuple[str, int, int]
_NEEDS_CONSENT = "this folder was here before zib and you have not let zib change it"


@dataclass(frozen=True, slots=True)
class Written:
    """A save or creation that succeeded, and what became of its commit (None: nothing new).

    `relinked` are pages whose links had to name another page more clearly, `skipped` those that
    could not be written.
    """

    saved: Saved
    commit: CommitResult | None
    relinked: tuple[EditedPage, ...] = ()
    skipped: tuple[SkippedPage, ...] = ()


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
        self._names: dict[_Version, PageNames] = {}
        self._writing = threading.Lock()
        self._index = KeptIndex(self.root, data_dir, self._excluded)
        self.home = find_home(self.root, data_dir, is_ours=self.is_ours)
        if not self.is_ours and self.is_writable:
            start_history(self.home)
        self.history = History(self)
        self.moves = Moves(self, self._writing)

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
        known: dict[_Version, PageNames] = {}
        for note in listing.notes[:_MOST_NAMED]:
            version = (note.path, note.size, note.modified_ns)
            names = self._names.get(version)
            if names is None:
                try:
                    names = read_page_names(read_article(self.root, note.path).text or "")
                except VaultError:
                    continue
            known[version] = names
        self._names = known
        return {path: names for (path, _, _), names in known.items()}

    @property
    def index(self) -> Index:
        """The index, read from the files when it is first asked for. Raises SearchUnavailable."""
        return self._index.opened()

    @property
    def index_progress(self) -> Progress | None:
        """How far the index has come while somebody waits for it. Never blocks."""
        return self._index.progress

    @functools.cached_property
    def search(self) -> Search:
        """Finds pages; what goes for `index` goes for its questions too."""
        return Search(self._index.opened)

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
        if self._is_reference(relative):
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
        self.require_consent()
        if self._is_reference(relative):
            raise ReadOnlyArticle(
                "The pages under Reference come with zib; write an article of your own instead."
            )
        with self._writing:
            saved = save_article(self.root, relative, text, base, is_exact=is_exact)
            self.note_changes({relative, saved.file.path, saved.file.real_path})
            if saved.outcome is Outcome.UNCHANGED:
                return Written(saved, None)
            subject = subject or f"Edit {_shown(relative)}"
            if _is_copy(saved):
                subject = f"Keep a conflicting edit of {_shown(relative)}"
            return Written(saved, self._commit(saved, subject, actor))

    def set_aside(self, relative: str, text: str, base: ArticleFile) -> Written:
        """Keep an unsaved text in a conflict copy beside its page, and commit that."""
        self.require_consent()
        with self._writing:
            saved = write_conflict_copy(self.root, relative, text, base)
            self.note_changes({saved.file.path, saved.file.real_path})
            subject = f"Keep a conflicting edit of {_shown(relative)}"
            return Written(saved, self._commit(saved, subject, _YOU))

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
        self.require_consent()
        with self._writing:
            where = self._folder_for_new() if folder is None else folder
            if self.is_ours and where.partition("/")[0] not in _WRITTEN_FOLDERS:
                raise NotAllowed(f"New pages go into {', '.join(_WRITTEN_FOLDERS)}.")
            # Elsewhere a link written as `[[Two words]]` means a file with that space in its name.
            path = path_for_new(self.root, title, where, keeps_spaces=not self.is_ours)
            if text is None:
                text = f"{self._heading(path)}\n\n" + (f"{body.rstrip()}\n" if body.strip() else "")
            made = self.moves.create(path, text, actor)
            saved = Saved(Outcome.SAVED, made.file)
            return Written(saved, made.commit, made.edited, made.skipped)

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

    def _commit(self, saved: Saved, subject: str, actor: str) -> CommitResult:
        path = saved.file.real_path
        replaced = {} if saved.replaced is None else {path: saved.replaced}
        return commit_paths(self.home, {path: saved.file.content}, subject, actor, replaced)

    def _heading(self, path: str) -> str:
        stem = stem_of(path)
        return f"# {title_of(stem) if self.is_ours else stem}"

    def _folder_for_new(self) -> str:
        return ARTICLES if self.is_ours else self.conventions.folder_for_new_note()

    def require_consent(self) -> None:
        """Raise ConsentNeeded where notes may not be changed."""
        if not self.is_writable:
            raise ConsentNeeded(
                f"Nothing was written: {_NEEDS_CONSENT}. Allow it with `zib memory init`."
            )

    def _is_reference(self, relative: str) -> bool:
        return self.is_ours and relative.startswith(f"{REFERENCE}/")


def open_vault(root: Path, consents: Consents | None = None, data_dir: Path | None = None) -> Vault:
    """Open the wiki at `root`, setting it up first if it is new. Raises VaultUnusable.

    The index of the wiki is kept in `data_dir`, and its history where it cannot be in the folder;
    without it nothing can be searched. Call `recover`
    on the wiki once, in the background: it may read every article.
    """
    return Vault(prepare(root, consents, data_dir), consents, data_dir)


def _is_copy(saved: Saved) -> bool:
    return saved.outcome is Outcome.CONFLICT_COPY


def _shown(relative: str) -> str:
    return stem_of(displayable(relative)).replace("_", " ")
