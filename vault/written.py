"""What became of a page that was written."""

from dataclasses import dataclass

from vault.history.commit import CommitResult
from vault.moving.carry_out import EditedPage
from vault.moving.change import SkippedPage
from vault.saving import Saved


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
