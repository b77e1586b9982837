"""What can be asked of the history of an opened wiki, and taken back with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vault.article.page import parse_article
from vault.article.section_edits import insert_section, replace_section
from vault.article.splices import apply_edits
from vault.errors import ArticleMissing, EditRefused, HistoryUnavailable, PageChanged, VaultError
from vault.history.blame import BlamedLine, blame
from vault.history.commit import CommitResult
from vault.history.diff import Diff, diff_texts
from vault.history.log import Revision, log_article
from vault.history.page_changes import Clash
from vault.history.revisions import commit_called, commits_of_run, find_revision
from vault.history.state import Skipped, find_head, open_repository
from vault.history.undo import plan_undo
from vault.history.versions import content_at
from vault.moving.carry_out import EditedPage
from vault.moving.change import SkippedPage
from vault.moving.replacement import Replacement
from vault.names import check_note_path, displayable, stem_of, title_of
from vault.saving import Outcome, Saved
from vault.text import decode
from vault.written import Written

if TYPE_CHECKING:
    from vault.files import ArticleFile
    from vault.vault import Vault

_YOU = "you"
_NOT_RUNS = {"you", "zib", ""}


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back: the commits, the pages it changed, and the commit that did it.

    `relinked` are other pages whose links had to be written anew, `skipped` those that could not.
    """

    commits: tuple[str, ...]
    paths: tuple[str, ...]
    commit: CommitResult
    relinked: tuple[EditedPage, ...] = ()
    skipped: tuple[SkippedPage, ...] = ()


class CannotUndo(VaultError):
    """Later changes stand in the way; nothing was done. `clashes` has every reason."""

    def __init__(self, clashes: tuple[Clash, ...]) -> None:
        first = clashes[0]
        more = f" There are {len(clashes) - 1} more reasons." if len(clashes) > 1 else ""
        super().__init__(
            f"Nothing was undone: “{displayable(first.path)}” in {first.commit[:8]}:"
            f" {first.reason}.{more}"
        )
        self.clashes = clashes


class History:
    """What `Vault.history` can do. Every call blocks; changes happen one at a time."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    def log(
        self, relative: str, limit: int = 50, before: Revision | None = None
    ) -> tuple[Revision, ...]:
        """The revisions of a page, newest first; `before` is the last one of an earlier call."""
        return log_article(self._vault.home, relative, limit, before)

    def find(self, relative: str, text: str) -> Revision:
        """The revision a user means: `@1` is one version back, else the start of its hash."""
        return find_revision(self._vault.home, relative, text)

    def content(self, revision: Revision) -> bytes:
        """What the page held then. Raises ArticleMissing when it was deleted in that revision."""
        content = content_at(open_repository(self._vault.home), revision.sha, revision.path)
        if content is None:
            raise ArticleMissing(f"“{_shown(revision.path)}” was deleted in {revision.sha[:8]}.")
        return content

    def text(self, revision: Revision) -> str:
        """Its text then; empty when it was deleted in that revision."""
        try:
            return _text_of(self.content(revision))
        except ArticleMissing:
            return ""

    def diff(self, relative: str, old: Revision, new: Revision | None = None) -> Diff:
        """Compare two revisions of a page, or one with the page as it is now."""
        if new is not None:
            return diff_texts(self.text(old), self.text(new))
        try:
            now = self._vault.read(relative).text or ""
        except ArticleMissing:
            now = ""
        return diff_texts(self.text(old), now)

    def blame(self, relative: str) -> tuple[BlamedLine, ...]:
        """Which revision each line comes from; may take seconds."""
        return blame(self._vault.home, relative)

    def restore(
        self,
        relative: str,
        revision: Revision,
        section: str = "",
        base: ArticleFile | None = None,
        actor: str = _YOU,
    ) -> Written:
        """Make a page, or one section of it, what it was; a new commit.

        `base` is the page as the user sees it; what changed on disk meanwhile is merged or kept
        beside it, as by any save.
        """
        self._vault.require_consent()
        content = self.content(revision)
        subject = f"Restore {_shown(relative)} as of {revision.sha[:8]}"
        if base is None:
            try:
                base = self._vault.read(relative)
            except ArticleMissing:
                return self._bring_back(relative, content, section, subject, actor)
        if section:
            text = _with_section(base, _text_of(content), section)
            subject = f"Restore {section} of {_shown(relative)} as of {revision.sha[:8]}"
            return self._vault.save(relative, text, base, actor, subject)
        return self._vault.save(relative, _text_of(content), base, actor, subject)

    def undo(self, text: str, actor: str = _YOU) -> Undone:
        """Take back what one commit did. Raises CannotUndo, VaultError."""
        self._vault.require_consent()
        repository = open_repository(self._vault.home)
        commit = commit_called(repository, text)
        if commit.parents != 1:
            what = "joins two histories" if commit.parents else "begins the history"
            raise HistoryUnavailable(f"The commit {commit.sha[:8]} {what}, so it is not undone.")
        subject = f"Undo {commit.sha[:8]} {commit.subject}"
        return self._undo((commit.sha,), subject, actor)

    def rollback(self, run: str, actor: str = _YOU) -> Undone:
        """Take back every commit of one run, in one commit. Raises CannotUndo, VaultError."""
        self._vault.require_consent()
        run = run.strip()
        if run in _NOT_RUNS:
            raise HistoryUnavailable(f"“{run}” is no run: its commits are undone one by one.")
        commits = commits_of_run(open_repository(self._vault.home), run)
        if not commits:
            raise HistoryUnavailable(f"No commit was made by “{run}”.")
        return self._undo(commits, f"Roll back {run}", actor)

    def _undo(self, commits: tuple[str, ...], subject: str, actor: str) -> Undone:
        vault = self._vault
        repository = open_repository(vault.home)
        head = find_head(repository)
        if isinstance(head, Skipped):
            raise HistoryUnavailable(head.message)
        plan = plan_undo(repository, commits, is_ours=vault.is_ours)
        if plan.clashes:
            raise CannotUndo(plan.clashes)
        put = vault.moves.put(Replacement(plan.found, plan.changes, plan.moves), subject, actor)
        return Undone(commits, tuple(plan.changes), put.commit, put.edited, put.skipped)

    def _bring_back(
        self, relative: str, content: bytes, section: str, subject: str, actor: str
    ) -> Written:
        check_note_path(relative)
        if section:
            raise ArticleMissing(f"“{_shown(relative)}” is deleted; restore all of it first.")
        asked = Replacement({relative: None}, {relative: content})
        put = self._vault.moves.put(asked, subject, actor)
        saved = Saved(Outcome.RECREATED, self._vault.read(relative))
        return Written(saved, put.commit, put.edited, put.skipped)


def _with_section(base: ArticleFile, old: str, section: str) -> str:
    """The page's text with one section as it was in `old`."""
    then = parse_article(old)
    wanted = then.section(section)
    if wanted is None:
        raise EditRefused(f"That version has no section “{section}”.")
    if base.text is None:
        raise PageChanged(f"“{_shown(base.path)}” cannot be changed: {base.read_only_reason}.")
    now = parse_article(base.text)
    body = old[wanted.body : wanted.tree_end]
    found = now.section(section)
    if found is not None:
        return apply_edits(base.text, replace_section(now, found, body, with_subsections=True))
    return apply_edits(base.text, insert_section(now, wanted.title, body, max(wanted.level, 1)))


def _text_of(content: bytes) -> str:
    decoded = decode(content)
    if decoded.text is None:
        raise HistoryUnavailable(f"That version cannot be shown: {decoded.problem}.")
    return decoded.text


def _shown(relative: str) -> str:
    return title_of(stem_of(displayable(relative)))
