"""Plans what a change does to links: which would lead elsewhere, and how to write them then.

Resolutions are taken before and after; a link whose page changed is spelled anew in the form it
had (Obsidian's invariant, kept for every kind of change).
"""

from collections.abc import Callable, Iterator, Mapping

from vault.article.splices import Edit
from vault.errors import VaultError
from vault.files import ArticleFile
from vault.links.known import PageNames
from vault.links.link import Link
from vault.links.mentions import Mentions
from vault.links.resolve import Found, LinkResolver
from vault.links.scan import find_local_links, leads_to_note
from vault.links.spelling import Respelling, as_read, is_beside, respell, whole_name
from vault.moving.change import Change, MovePlan, PageEdit, Pages, SkippedPage
from vault.moving.files_beside import respelled_files
from vault.moving.heading import heading_edit
from vault.names import displayable


def plan_change(pages: Pages, change: Change) -> MovePlan:
    """Plan it. Raises VaultError when a page that moves or goes cannot be read."""
    files = tuple(pages.read(path) for path in (*change.moves, *sorted(change.deletes)))
    planner = _Planner(pages, change)
    edits: list[PageEdit] = []
    skipped: list[SkippedPage] = []
    moving = {file.path: file for file in files}
    listed = frozenset(pages.paths)
    for path in pages.paths:
        if path in change.deletes:
            continue
        try:
            file = moving.get(path) or pages.read(path)
        except VaultError as error:
            skipped.append(SkippedPage(path, f"it could not be read ({str(error).rstrip('.')})"))
            continue
        if file.real_path != path and file.real_path in listed:
            # The same file by a second name; its text is looked at by its first.
            if file.real_path in moving:
                skipped.append(SkippedPage(path, f"it is a link to {displayable(file.real_path)}"))
            continue
        edit, reasons = planner.edits_of(file)
        skipped += (SkippedPage(path, reason) for reason in reasons)
        if edit is not None:
            edits.append(edit)
    return MovePlan(change, files, tuple(edits), tuple(skipped))


class _Planner:
    def __init__(self, pages: Pages, change: Change) -> None:
        self._pages = pages
        self._change = change
        after = [change.path_after(path) for path in pages.paths if path not in change.deletes]
        after += sorted(change.creates)
        names_after = {
            change.path_after(path): names
            for path, names in pages.names.items()
            if path not in change.deletes
        }
        # A link that a file name answered must have a file name to answer it again: that a heading
        # still says the old one is no answer to other programs.
        self._resolvers = [(LinkResolver(pages.paths), LinkResolver(after))]
        if not change.creates:
            # A page that comes by a name is meant by those who called another one so.
            self._resolvers.append(
                (
                    LinkResolver(pages.paths, lambda: pages.names),
                    LinkResolver(after, lambda: names_after),
                )
            )
        self._mentions = Mentions(_names_concerned(change, pages.names))

    def edits_of(self, file: ArticleFile) -> tuple[PageEdit | None, list[str]]:
        """What changes in one page, and why a part of that cannot be."""
        is_moving = file.path in self._change.moves
        if file.text is None:
            return None, [] if file.content else [f"{file.read_only_reason}; it was not looked at"]
        if not (is_moving or self._mentions.are_in(file.text)):
            return None, []
        edits, reasons = self._link_edits(file.path, file.text)
        links = len(edits)
        if is_moving and not self._change.is_heading_kept:
            edits += heading_edit(file.text, file.path, self._change.path_after(file.path))
        if not edits:
            return None, reasons
        if file.read_only_reason is not None:
            return None, [file.read_only_reason]
        return PageEdit(file, tuple(edits), links), reasons

    def _link_edits(self, path: str, text: str) -> tuple[list[Edit], list[str]]:
        edits: list[Edit] = []
        reasons: list[str] = []
        links = find_local_links(text)
        for link in links:
            if not link.target:
                continue
            found = self._respelling(text, link, path)
            if found is None:
                continue
            asked, resolver = found
            written = respell(asked, self._leads_to(resolver, link, asked))
            if written is None:
                shown = displayable(asked.path)
                reasons.append(f"no link to “{shown}” can be written in that form")
            elif written != text[slice(*link.place)]:
                edits.append(Edit(*link.place, written))
        after = self._change.path_after(path)
        if after != path:
            edits += respelled_files(text, links, path, after, self._pages.is_file)
        return edits, reasons

    def _respelling(
        self, text: str, link: Link, path: str
    ) -> tuple[Respelling, LinkResolver] | None:
        """What to spell anew and who judges it; None for a link that still leads to its page."""
        if not leads_to_note(link):
            return None
        for before, after in self._resolvers:
            found = before.resolve(link, path)
            if isinstance(found, Found):
                asked = self._changed(text, link, path, found, after)
                return None if asked is None else (asked, after)
        return None

    def _changed(
        self, text: str, link: Link, path: str, before: Found, resolver: LinkResolver
    ) -> Respelling | None:
        from_path = self._change.path_after(path)
        after = resolver.resolve(link, from_path)
        if before.path in self._change.deletes:
            # The page is wanted now; its links must not lead to a namesake.
            wanted = before.path if isinstance(after, Found) else None
        else:
            wanted = self._change.path_after(before.path)
            is_found = isinstance(after, Found) and after.path == wanted
            if is_found and not _has_lost_its_path(link, path, before.path, from_path, wanted):
                wanted = None
        if wanted is None:
            return None
        is_whole = before.fragment is None and link.fragment is not None
        link = whole_name(link) if is_whole else link
        is_titled = not self._change.is_heading_kept
        return Respelling(text, link, path, from_path, before.path, wanted, is_whole, is_titled)

    def _leads_to(
        self, resolver: LinkResolver, link: Link, asked: Respelling
    ) -> Callable[[str], bool]:
        def leads_there(target: str) -> bool:
            found = resolver.resolve(as_read(link, target, asked.is_whole), asked.from_path)
            if asked.path in self._change.deletes:
                return not isinstance(found, Found)
            return isinstance(found, Found) and found.path == asked.path

        return leads_there


def _has_lost_its_path(link: Link, path: str, before: str, from_path: str, after: str) -> bool:
    """Whether a Markdown link was a path to its page and would only be found by its name."""
    return (
        not link.is_wikilink
        and is_beside(link.target, path, before)
        and not is_beside(link.target, from_path, after)
    )


def _names_concerned(change: Change, names: Mapping[str, PageNames]) -> Iterator[str]:
    for path in (*change.moves, *change.moves.values(), *change.deletes, *change.creates):
        yield from _names_of(path, names)


def _names_of(path: str, names: Mapping[str, PageNames]) -> Iterator[str]:
    yield path
    known = names.get(path)
    if known is not None:
        yield from known.all
