"""A page that comes: it must not take the links that lead to another page of its name."""

from collections.abc import Callable
from dataclasses import dataclass

from vault.files import ArticleFile
from vault.history.commit import CommitResult
from vault.links.mentions import last_part
from vault.moving.carry_out import EditedPage
from vault.moving.change import Change, MovePlan, Pages, SkippedPage
from vault.moving.plan import plan_change


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
    name = last_part(path)
    if all(last_part(other) != name for other in paths):
        return MovePlan(change, (), (), ())
    return plan_change(pages(), change)
