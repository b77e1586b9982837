"""What the pages are called, as the index knows it."""

from typing import Any

from vault.index.index import Index
from vault.links.known import PageNames


def known_names(index: Index, with_excluded: bool) -> dict[str, PageNames]:
    """Return the other names of every page by its path, in the order of the paths."""
    with index.reading() as connection:
        rows: list[Any] = connection.execute(
            "SELECT page.path, name.text FROM page LEFT JOIN name"
            " ON name.page = page.id AND name.kind <> 'file'"
            " WHERE ? OR NOT is_excluded ORDER BY page.path, name.rowid",
            (with_excluded,),
        ).fetchall()
    names: dict[str, list[str]] = {}
    for path, text in rows:
        texts = names.setdefault(path, [])
        if text is not None:
            texts.append(text)
    return {path: PageNames(aliases=tuple(texts)) for path, texts in names.items()}
