"""Writes the facts of one page into the tables, and takes them out again."""

import unicodedata
from dataclasses import dataclass

import apsw

from vault.index.facts import Facts
from vault.index.grams import pairs, without_runs
from vault.index.schema import COLUMNS
from vault.links.known import PageNames
from vault.links.resolve import page_key
from vault.links.tags import tag_key
from vault.names import displayable, stem_of, title_of

_TABLES_OF_A_PAGE = ("name", "passage", "link", "tag", "category", "anchor")
SEPARATOR = "\x1f"


@dataclass(frozen=True, slots=True)
class FileVersion:
    """A file as it was when it was read; `problem` says why it could not be."""

    path: str
    size: int
    modified_ns: int
    sha256: str
    is_excluded: bool
    problem: str = ""


def insert_page(connection: apsw.Connection, version: FileVersion, facts: Facts | None) -> int:
    """Add a page and return its row id; without facts it is known to be there and no more."""
    names = facts.names if facts else PageNames()
    redirect = names.redirect.target if names.redirect else ""
    connection.execute(
        "INSERT INTO page (path, title, size, modified_ns, sha256, is_excluded, problem, date,"
        " length, redirect) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            _stored(version.path),
            title_of(stem_of(displayable(version.path))),
            version.size,
            version.modified_ns,
            version.sha256,
            version.is_excluded,
            version.problem,
            facts.date if facts else "",
            facts.words if facts else 0,
            _stored(redirect),
        ),
    )
    page = connection.last_insert_rowid()
    _insert_names(connection, page, version.path, names)
    if facts is not None:
        _insert_parts(connection, page, facts)
        if not version.is_excluded:
            _insert_words(connection, page, version.path, facts)
    return page


def delete_page(connection: apsw.Connection, page: int) -> None:
    """Take a page out."""
    for table in _TABLES_OF_A_PAGE:
        connection.execute(f"DELETE FROM {table} WHERE page = ?", (page,))
    for table in ("words", "grams"):
        connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (page,))
    connection.execute("UPDATE link SET leads_to = NULL WHERE leads_to = ?", (page,))
    connection.execute("DELETE FROM page WHERE id = ?", (page,))


def _insert_names(connection: apsw.Connection, page: int, path: str, names: PageNames) -> None:
    rows = [("file", stem_of(path)), *(("alias", alias) for alias in names.aliases)]
    rows += [("title", names.title)] if names.title else []
    rows += [("heading", names.heading)] if names.heading else []
    connection.executemany(
        "INSERT INTO name (page, kind, key, text) VALUES (?, ?, ?, ?)",
        [(page, kind, _stored(page_key(text)), _stored(text)) for kind, text in rows],
    )


def _insert_parts(connection: apsw.Connection, page: int, facts: Facts) -> None:
    connection.executemany(
        "INSERT INTO passage VALUES (?, ?, ?, ?, ?, ?)",
        [
            (
                page,
                each.start,
                each.end,
                each.line,
                _stored(SEPARATOR.join(each.heading_path)),
                _stored(each.anchor),
            )
            for each in facts.passages
        ],
    )
    connection.executemany(
        "INSERT INTO link (page, start, line, form, is_embed, target, fragment, label, key, state)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'wanted')",
        [
            (
                page,
                each.link.start,
                each.line,
                each.link.form,
                each.link.is_embed,
                _stored(each.link.target),
                None if each.link.fragment is None else _stored(each.link.fragment),
                _stored(each.link.label),
                _stored(link_key(each.link.target)),
            )
            for each in facts.links
        ],
    )
    for table, names in (("tag", facts.tags), ("category", facts.categories)):
        connection.executemany(
            f"INSERT INTO {table} VALUES (?, ?, ?)",
            [
                (page, _stored(tag_key(name) if table == "tag" else page_key(name)), _stored(name))
                for name in names
            ],
        )
    connection.executemany(
        "INSERT INTO anchor VALUES (?, ?, ?, ?, ?)",
        [
            (page, each.line, each.level, _stored(each.slug), _stored(each.text))
            for each in facts.headings
        ],
    )


def _insert_words(connection: apsw.Connection, page: int, path: str, facts: Facts) -> None:
    names = facts.names
    columns = [
        _stored(unicodedata.normalize("NFC", text))
        for text in (
            " ".join(
                filter(None, (title_of(stem_of(displayable(path))), names.title, names.heading))
            ),
            "\n".join(names.aliases),
            "\n".join(each.text for each in facts.headings),
            facts.body,
            facts.properties,
        )
    ]
    connection.execute(
        f"INSERT INTO words (rowid, {', '.join(COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?)",
        (page, *(without_runs(text) for text in columns)),
    )
    grams = [pairs(text) for text in columns]
    if any(grams):
        connection.execute(
            f"INSERT INTO grams (rowid, {', '.join(COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?)",
            (page, *grams),
        )


def link_key(target: str) -> str:
    """What a link and the names of its page have in common."""
    return page_key(target.rstrip("/").rpartition("/")[2])


def _stored(text: str) -> str:
    """A text as SQLite takes it: a page that is not UTF-8 may hold what cannot be encoded."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
