"""What became of a change of several pages, and where deleted ones can be had back from."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from vault import os_errors
from vault.atomic import create_file
from vault.confined import opened_place
from vault.errors import SaveFailed
from vault.history.commit import CommitResult, Committed, commit_paths
from vault.history.home import Home
from vault.history.state import SkipReason
from vault.moving.carry_out import Carried, EditedPage
from vault.moving.change import MovePlan, SkippedPage
from vault.names import displayable, stem_of, title_of

TRASH = ".trash"


@dataclass(frozen=True, slots=True)
class Moved:
    """A change that was made. `kept_in` is the folder deleted pages were put into; "" for none."""

    carried: Carried
    commit: CommitResult
    kept_in: str = ""


@dataclass(frozen=True, slots=True)
class Put:
    """Pages that were made what was asked, and those whose links had to be written anew."""

    commit: CommitResult
    edited: tuple[EditedPage, ...] = ()
    skipped: tuple[SkippedPage, ...] = ()


def keep_deleted(home: Home, plan: MovePlan, actor: str) -> str:
    """Put what will be deleted into the history, or where there is none into `.trash`.

    Returns the folder that was used, empty when the history has everything.
    """
    gone = [file for file in plan.files if file.path in plan.change.deletes]
    if not gone:
        return ""
    contents = {file.real_path: file.content for file in gone}
    result = commit_paths(home, contents, "Keep changes before a deletion", actor)
    if isinstance(result, Committed) or result.reason is SkipReason.UNCHANGED:
        return ""
    for file in gone:
        _put_into_trash(home.root, file.path, file.content)
    return TRASH


def contents_before(plan: MovePlan) -> dict[str, bytes]:
    """What the pages held before the change, by real path."""
    files = (*plan.files, *(edit.file for edit in plan.edits))
    return {file.real_path: file.content for file in files if file.text is not None}


def subject_of(plan: MovePlan) -> str:
    """The subject of the commit."""
    moves, deletes = plan.change.moves, plan.change.deletes
    if len(moves) == 1 and not deletes:
        ((old, new),) = moves.items()
        return (
            f"Rename {_shown(old)} to {_shown(new)}"
            if _shown(old) != _shown(new)
            else (
                f"Move {_shown(old)} to {displayable(new.rpartition('/')[0]) or 'the top folder'}"
            )
        )
    if len(deletes) == 1 and not moves:
        return f"Delete {_shown(next(iter(deletes)))}"
    return f"Move {len(moves)} and delete {len(deletes)} pages"


def _put_into_trash(root: Path, path: str, content: bytes) -> None:
    name = path.rpartition("/")[2]
    for attempt in range(1000):
        mark = "" if not attempt else f" {datetime.now():%Y-%m-%dT%H%M%S} {attempt}"
        kept = f"{TRASH}/{stem_of(name)}{mark}.md"
        try:
            with opened_place(root, kept, make_folders=True) as place:
                create_file(place, content)
        except FileExistsError:
            continue
        except OSError as error:
            raise SaveFailed(
                f"“{displayable(path)}” was not deleted: it could not be put into {TRASH}"
                f" ({os_errors.reason(error)})."
            ) from error
        return
    raise SaveFailed(f"“{displayable(path)}” was not deleted: {TRASH} is full of namesakes.")


def _shown(path: str) -> str:
    return title_of(stem_of(displayable(path)))
