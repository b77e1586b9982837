"""What the tables hold of one page: made where the page is read, put in where the index is."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

import apsw

from vault.index.facts import Facts
from vault.index.grams import pairs, without_runs
from vault.index.schema import COLUMNS
from vault.links.known import PageNames
from vault.links.resolve import page_key
from vault.links.tags import tag_key
from vault.names import displayable, stem_of, title_of

SEPARATOR = "\x1f"
_COLUMNS_OF = {
    "name": "kind, key, text",
    "passage": "start, end, line, heading_path, anchor",
    "link": "start, line, form, is_embed, target, fragment, label, key, state",
    "tag": "key, text",
    "category": "key, text",
    "anchor": "line, level, slug, text",
}
_INSERTS = {
    table: f"INSERT INTO {table} (page, {columns}) VALUES (?{', ?' * len(columns.split(','))})"
    for table, columns in _COLUMNS_OF.items()
}
_Row = tuple[str | int | None, ...]


@dataclass(frozen=True, slots=True)
class FileVersion:
    """A file as it was when it was read; `problem` says why it could not be."""

    path: str
    size: int
    modified_ns: int
    sha256: str
    is_excluded: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class PageRows:
    """The rows of a page by their table, without its id, and the columns of the word tables.

    Plain tuples, which go from one process to another in little time.
    """

    names: PageNames
    date: str
    rows: dict[str, list[_Row]]
    words: tuple[str, ...]
    grams: tuple[str, ...]


def rows_of(path: str, facts: Facts) -> PageRows:
    """Make the rows of a page."""
    rows: dict[str, list[_Row]] = {
        "name": _name_rows(path, facts.names),
        "passage": [
            (
                each.start,
                each.end,
                each.line,
                _stored(SEPARATOR.join(each.heading_path)),
                _stored(each.anchor),
            )
            for each in facts.passages
        ],
        "link": [
            (
                each.link.start,
                each.line,
                each.link.form,
                each.link.is_embed,
                _stored(each.link.target),
                None if each.link.fragment is None else _stored(each.link.fragment),
                _stored(each.link.label),
                _stored(link_key(each.link.target)),
                "wanted",
            )
            for each in facts.links
        ],
        "tag": [(_stored(tag_key(name)), _stored(name)) for name in facts.tags],
        "category": [(_stored(page_key(name)), _stored(name)) for name in facts.categories],
        "anchor": [
            (each.line, each.level, _stored(each.slug), _stored(each.text))
            for each in facts.headings
        ],
    }
    columns = _columns(path, facts)
    grams = tuple(pairs(text) for text in columns)
    return PageRows(
        facts.names,
        facts.date,
        rows,
        tuple(without_runs(text) for text in columns),
        grams if any(grams) else (),
    )


def insert_page(connection: apsw.Connection, version: FileVersion, page: PageRows | None) -> int:
    """Add a page and return its row id; without rows it is known to be there and no more."""
    redirect = page.names.redirect.target if page and page.names.redirect else ""
    connection.execute(
        "INSERT INTO page (path, title, size, modified_ns, sha256, is_excluded, problem, date,"
        " redirect) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            _stored(version.path),
            title_of(stem_of(displayable(version.path))),
            version.size,
            version.modified_ns,
            version.sha256,
            version.is_excluded,
            version.problem,
            page.date if page else "",
            _stored(redirect),
        ),
    )
    id = connection.last_insert_rowid()
    rows = page.rows if page else {"name": _name_rows(version.path, PageNames())}
    for table, some in rows.items():
        if some:
            connection.executemany(_INSERTS[table], [(id, *row) for row in some])
    if page is not None and not version.is_excluded:
        _insert_columns(connection, "words", id, page.words)
        _insert_columns(connection, "grams", id, page.grams)
    return id


def delete_page(connection: apsw.Connection, page: int) -> None:
    """Take a page out."""
    for table in _COLUMNS_OF:
        connection.execute(f"DELETE FROM {table} WHERE page = ?", (page,))
    for table in ("words", "grams"):
        connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (page,))
    connection.execute("UPDATE link SET leads_to = NULL WHERE leads_to = ?", (page,))
    connection.execute("DELETE FROM page WHERE id = ?", (page,))


def _name_rows(path: str, names: PageNames) -> list[_Row]:
    rows = [("file", stem_of(path)), *(("alias", alias) for alias in names.aliases)]
    rows += [("title", names.title)] if names.title else []
    rows += [("heading", names.heading)] if names.heading else []
    return [(kind, _stored(page_key(text)), _stored(text)) for kind, text in rows]


def _columns(path: str, facts: Facts) -> list[str]:
    """The texts of the word tables, in the order of their columns."""
    names = facts.names
    title = title_of(stem_of(displayable(path)))
    return [
        _stored(unicodedata.normalize("NFC", text))
        for text in (
            " ".join(filter(None, (title, names.title, names.heading))),
            "\n".join(names.aliases),
            "\n".join(each.text for each in facts.headings),
            facts.body,
            facts.properties,
        )
    ]


def _insert_columns(
    connection: apsw.Connection, table: str, id: int, columns: Iterable[str]
) -> None:
    values = tuple(columns)
    if values:
        connection.execute(
            f"INSERT INTO {table} (rowid, {', '.join(COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?)",
            (id, *values),
        )


def link_key(target: str) -> str:
    """What a link and the names of its page have in common."""
    return page_key(target.rstrip("/").rpartition("/")[2])


def _stored(text: str) -> str:
    """A text as SQLite takes it: a page that is not UTF-8 may hold what cannot be encoded."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
