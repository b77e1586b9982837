"""Pages that become what is given: taken back, brought back or written all at once.

Pages that come, go or get another name by it must not take or lose the links of others: those are
written anew, as in any move.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from vault.article.splices import Edit, apply_edits
from vault.atomic import digest
from vault.files import ArticleFile
from vault.links.mentions import last_part
from vault.links.scan import find_local_links
from vault.moving.carry_out import EditedPage
from vault.moving.change import Change, PageEdit, Pages, SkippedPage
from vault.moving.plan import plan_change
from vault.text import decode, encode


@dataclass(frozen=True, slots=True)
class Replacement:
    """What pages become, by path, and what was found in them; None means no page.

    `moves` tells which of those that go are those that come, under another path.
    """

    found: Mapping[str, bytes | None]
    changes: Mapping[str, bytes | None]
    moves: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Relinked:
    """A replacement with the links of other pages in it; those `skipped` could not be written."""

    replacement: Replacement
    edited: tuple[EditedPage, ...] = ()
    skipped: tuple[SkippedPage, ...] = ()


def with_links(
    asked: Replacement, paths: tuple[str, ...], load_pages: Callable[[], Pages]
) -> Relinked:
    """Add the pages whose links would lead elsewhere; `load_pages` is asked when there may be any.

    Raises VaultError when a page that goes cannot be read.
    """
    change = _change(asked)
    if not _may_lead_elsewhere(change, paths):
        return Relinked(asked)
    pages = load_pages()
    plan = plan_change(replace(pages, read=_as_it_will_be(pages.read, asked)), change)
    found, changes = dict(asked.found), dict(asked.changes)
    edited: list[EditedPage] = []
    for edit in plan.edits:
        path = change.path_after(edit.file.path)
        edits = edit.edits
        if path in changes:
            edits = _of_links_there_now(edit, pages.read(edit.file.path))
        else:
            found[path] = edit.file.content
        if edits and edit.file.text is not None:
            text = apply_edits(edit.file.text, edits)
            changes[path] = encode(text, has_byte_order_mark=edit.file.has_byte_order_mark)
            edited.append(EditedPage(path, len(edits)))
    return Relinked(Replacement(found, changes, asked.moves), tuple(edited), plan.skipped)


def _change(asked: Replacement) -> Change:
    gone = {path for path, new in asked.changes.items() if new is None and _was(asked, path)}
    come = {
        path for path, new in asked.changes.items() if new is not None and not _was(asked, path)
    }
    moves = {old: new for old, new in asked.moves.items() if old in gone and new in come}
    return Change(moves, frozenset(gone - moves.keys()), frozenset(come - set(moves.values())))


def _was(asked: Replacement, path: str) -> bool:
    return asked.found.get(path) is not None


def _may_lead_elsewhere(change: Change, paths: tuple[str, ...]) -> bool:
    if change.moves or change.deletes:
        return True
    names = {last_part(path) for path in change.creates}
    return bool(names) and any(last_part(path) in names for path in paths)


def _as_it_will_be(
    read: Callable[[str], ArticleFile], asked: Replacement
) -> Callable[[str], ArticleFile]:
    """Read pages with what they will hold: that is the text in which links are written anew."""

    def reading(path: str) -> ArticleFile:
        file = read(path)
        new = asked.changes.get(asked.moves.get(path, path))
        if new is None:
            return file
        decoded = decode(new)
        return replace(
            file,
            content=new,
            text=decoded.text,
            sha256=digest(new),
            has_byte_order_mark=decoded.has_byte_order_mark,
            read_only_reason=decoded.problem,
        )

    return reading


def _of_links_there_now(edit: PageEdit, now: ArticleFile) -> tuple[Edit, ...]:
    """Those of links the page has already: one that comes with an older text means what it says."""
    if now.text is None or edit.file.text is None:
        return ()
    written = {now.text[slice(*link.place)] for link in find_local_links(now.text)}
    text = edit.file.text
    return tuple(each for each in edit.edits if text[each.start : each.end] in written)
