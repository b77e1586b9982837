"""A page that comes: it must not take the links that lead to another page of its name."""

from collections.abc import Callable
from dataclasses import dataclass

from vault.files import ArticleFile
from vault.history.commit import CommitResult
from vault.links.resolve import page_key
from vault.moving.carry_out import EditedPage
from vault.moving.change import Change, MovePlan, Pages, SkippedPage
from vault.moving.plan import plan_change
from vault.names import NOTE_SUFFIX


@dataclass(frozen=True, slots=True)
class Created:
    """A page that was made, and the pages whose links name another one more clearly since."""

    file: ArticleFile
    commit: CommitResult
    edited: tuple[EditedPage, ...]
    skipped: tuple[SkippedPage, ...]


def plan_creation(paths: tuple[str, ...], pages: Callable[[], Pages], path: str) -> MovePlan:
    """Plan what a new page changes; `pages` is only asked when another page has its name."""
    change = Change({}, creates=frozenset({path}))
    name = _bare_name(path)
    if all(_bare_name(other) != name for other in paths):
        return MovePlan(change, (), (), ())
    return plan_change(pages(), change)


def _bare_name(path: str) -> str:
    name = path.rpartition("/")[2]
    while name[-3:].casefold() == NOTE_SUFFIX:
        name = name[:-3]
    return page_key(name)
