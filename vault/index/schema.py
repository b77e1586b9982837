"""The tables of the index, and how its file is opened, doubted and made anew.

Tables of words hold no text of their own (FTS5 `content=''`): what a page says is read from its
file. https://www.sqlite.org/fts5.html
"""

import contextlib
import re
from pathlib import Path

import apsw

VERSION = 7
# Marks count as letters: those of Thai and of Indian scripts are in the middle of words.
_LETTERS = ("categories", "L* N* Co Mn Mc")
GRAMS_TOKENIZER = ("unicode61", "remove_diacritics", "2", *_LETTERS)
WORDS_TOKENIZER = ("porter", *GRAMS_TOKENIZER)
COLUMNS = ("title", "aliases", "headings", "body", "properties")
_BUSY_MS = 10_000


def _option(tokenizer: tuple[str, ...]) -> str:
    return " ".join(f"'{part}'" for part in tokenizer)


_TABLES = f"""
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE page (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    size INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    is_excluded INTEGER NOT NULL,
    problem TEXT NOT NULL,
    date TEXT NOT NULL,
    redirect TEXT NOT NULL
);
CREATE TABLE name (
    page INTEGER NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL, kind TEXT NOT NULL
);
CREATE TABLE passage (
    page INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    line INTEGER NOT NULL,
    heading_path TEXT NOT NULL,
    anchor TEXT NOT NULL
);
CREATE TABLE link (
    id INTEGER PRIMARY KEY,
    page INTEGER NOT NULL,
    start INTEGER NOT NULL,
    line INTEGER NOT NULL,
    form TEXT NOT NULL,
    is_embed INTEGER NOT NULL,
    target TEXT NOT NULL,
    fragment TEXT,
    label TEXT NOT NULL,
    key TEXT NOT NULL,
    leads_to INTEGER,
    state TEXT NOT NULL
);
CREATE TABLE tag (page INTEGER NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL);
CREATE TABLE category (page INTEGER NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL);
CREATE TABLE anchor (
    page INTEGER NOT NULL, line INTEGER NOT NULL, level INTEGER NOT NULL,
    slug TEXT NOT NULL, text TEXT NOT NULL
);
CREATE VIRTUAL TABLE words USING fts5 (
    {", ".join(COLUMNS)},
    tokenize = "{_option(WORDS_TOKENIZER)}", content = '', contentless_delete = 1
);
CREATE VIRTUAL TABLE grams USING fts5 (
    {", ".join(COLUMNS)},
    tokenize = "{_option(GRAMS_TOKENIZER)}", content = '', contentless_delete = 1
);
"""

_INDEXES = """
CREATE INDEX IF NOT EXISTS name_page ON name (page);
CREATE INDEX IF NOT EXISTS name_key ON name (key);
CREATE INDEX IF NOT EXISTS passage_page ON passage (page);
CREATE INDEX IF NOT EXISTS link_page ON link (page);
CREATE INDEX IF NOT EXISTS link_key ON link (key);
CREATE INDEX IF NOT EXISTS link_leads_to ON link (leads_to, page);
CREATE INDEX IF NOT EXISTS tag_page ON tag (page);
CREATE INDEX IF NOT EXISTS tag_key ON tag (key);
CREATE INDEX IF NOT EXISTS category_page ON category (page);
CREATE INDEX IF NOT EXISTS category_key ON category (key);
CREATE INDEX IF NOT EXISTS anchor_page ON anchor (page);
"""
# Gathered in memory before they are written; at most what one transaction adds.
_GATHERED_BYTES = 16 * 1024**2

_NAMES = re.compile(r"^CREATE (?:VIRTUAL TABLE|TABLE|INDEX IF NOT EXISTS) (\w+)", re.MULTILINE)


def open_index(file: Path, root: str) -> apsw.Connection:
    """Open the index of the folder `root`, made anew when it is damaged or of another version."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.suppress(apsw.Error):
        connection = _connect(file)
        if _is_ours(connection, root):
            return connection
        connection.close()
    remove_index(file)
    connection = _connect(file)
    with connection:
        # Another process may have been faster.
        if not _is_ours(connection, root):
            connection.execute(_TABLES)
            connection.execute(_INDEXES)
            for table in ("words", "grams"):
                query = f"INSERT INTO {table} ({table}, rank) VALUES ('hashsize', ?)"
                connection.execute(query, (_GATHERED_BYTES,))
            connection.execute("INSERT INTO about VALUES ('root', ?)", (root,))
            connection.execute(f"PRAGMA user_version = {VERSION}")
    return connection


def remove_index(file: Path) -> None:
    """Delete the index; nothing is lost by it."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)


def drop_indexes(connection: apsw.Connection) -> None:
    """Before very many rows are written."""
    for name in _NAMES.findall(_INDEXES):
        connection.execute(f"DROP INDEX IF EXISTS {name}")


def create_indexes(connection: apsw.Connection) -> None:
    """Make those that are not there."""
    connection.execute(_INDEXES)


def _connect(file: Path) -> apsw.Connection:
    connection = apsw.Connection(str(file))
    connection.set_busy_timeout(_BUSY_MS)
    connection.execute("PRAGMA journal_mode = WAL")
    # A power loss may take the last pages; the next refresh finds that out.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA temp_store = MEMORY")
    return connection


def _is_ours(connection: apsw.Connection, root: str) -> bool:
    if connection.pragma("user_version") != VERSION:
        return False
    found = connection.execute("SELECT value FROM about WHERE key = 'root'").get
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
    return bool(found == root) and tables >= set(_NAMES.findall(_TABLES))
