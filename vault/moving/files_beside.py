"""Links of a page that moves to files that stay: pictures and other attachments beside it."""

import posixpath
from collections.abc import Callable, Iterable, Iterator

from vault.article.splices import Edit
from vault.links.link import Link
from vault.links.scan import leads_to_note
from vault.links.spelling import spelled_as_written


def respelled_files(
    text: str,
    links: Iterable[Link],
    old_path: str,
    new_path: str,
    is_file: Callable[[str], bool],
) -> Iterator[Edit]:
    """Write the paths of such files as they are seen from the page's new place."""
    old_folder, new_folder = posixpath.dirname(old_path), posixpath.dirname(new_path)
    if old_folder == new_folder:
        return
    for link in links:
        target = link.target
        is_relative = not link.is_wikilink or target.startswith(("./", "../"))
        if not target or target.startswith("/") or not is_relative or leads_to_note(link):
            continue
        file = posixpath.normpath(posixpath.join(old_folder, target))
        if file.startswith("../") or not is_file(file):
            continue
        moved = posixpath.relpath(file, new_folder or ".")
        if target.startswith("./") and not moved.startswith("../"):
            moved = f"./{moved}"
        yield Edit(*link.place, spelled_as_written(text, link, moved))
