"""Which pages a query allows: its filters, phrases and what it excludes."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

import apsw

from vault.links.resolve import page_key
from vault.links.tags import tag_key
from vault.search.query import Filter, Query, parse_query
from vault.search.terms import Analyser, Table, Term

Pages = set[int]
_COLUMNS = {"title": "{title aliases} : ", "heading": "headings : "}


@dataclass(frozen=True, slots=True)
class Scope:
    """`allowed` is None where every page is; `tag_words` are tags that no page has."""

    allowed: frozenset[int] | None
    excluded: frozenset[int]
    tag_words: tuple[str, ...]

    def holds(self, page: int) -> bool:
        """Whether a page may be found."""
        return (self.allowed is None or page in self.allowed) and page not in self.excluded

    def and_within(self, other: "Scope") -> "Scope":
        """The pages that both hold; the tags are this one's."""
        allowed = self.allowed
        if other.allowed is not None:
            allowed = other.allowed if allowed is None else allowed & other.allowed
        return Scope(allowed, self.excluded | other.excluded, self.tag_words)


def read_scope(
    connection: apsw.Connection, analyser: Analyser, query: Query, has_phrases: bool
) -> Scope:
    """Work it out; without `has_phrases` the phrases are only words."""
    asked = _Asked(connection, analyser)
    allowed: Pages | None = None
    excluded: Pages = set()
    tag_words: list[str] = []
    for each in query.filters:
        pages = asked.filtered(each)
        if each.is_excluded:
            excluded |= pages
        else:
            allowed = pages if allowed is None else allowed & pages
    for tag in query.tags:
        tagged = asked.tagged(tag)
        if tagged:
            allowed = tagged if allowed is None else allowed & tagged
        else:
            tag_words.append(tag)
    for phrase in query.phrases if has_phrases else ():
        holding = asked.saying(phrase)
        if holding is not None:
            allowed = holding if allowed is None else allowed & holding
    for text in query.excluded:
        excluded |= asked.saying(text) or set()
    return Scope(
        None if allowed is None else frozenset(allowed), frozenset(excluded), tuple(tag_words)
    )


def scope_called(connection: apsw.Connection, analyser: Analyser, text: str) -> Scope:
    """The pages a person means by a scope such as `tag:trip -path:Old/`.

    A bare word is part of a path, and a tag that no page has allows none.
    """
    query = parse_query(text)
    scope = read_scope(connection, analyser, query, has_phrases=True)
    allowed = frozenset() if scope.tag_words else scope.allowed
    asked = _Asked(connection, analyser)
    for word in query.words:
        within = frozenset(asked.at_path(word))
        allowed = within if allowed is None else allowed & within
    return Scope(allowed, scope.excluded, ())


class _Asked:
    def __init__(self, connection: apsw.Connection, analyser: Analyser) -> None:
        self._connection = connection
        self._analyser = analyser

    def filtered(self, each: Filter) -> Pages:
        match each.field:
            case "tag":
                return self.tagged(each.text)
            case "category":
                return self._select(
                    "SELECT page FROM category WHERE instr(key, ?)", page_key(each.text)
                )
            case "path":
                return self.at_path(each.text)
            case field:
                return self.saying(each.text, _COLUMNS[field]) or set()

    def tagged(self, name: str) -> Pages:
        """The pages with a tag or one nested in it."""
        key = tag_key(name)
        return self._select(
            "SELECT page FROM tag WHERE key = ? OR key BETWEEN ? AND ?", key, f"{key}/", f"{key}0"
        )

    def saying(self, text: str, columns: str = "") -> Pages | None:
        """The pages that say a text as a phrase; None when there is nothing in it to look for."""
        pages: Pages | None = None
        for table, expression in phrase_expressions(self._analyser.terms(text)):
            found = self._select(
                f"SELECT rowid FROM {table} WHERE {table} MATCH ?", columns + expression
            )
            pages = found if pages is None else pages & found
        return pages

    def at_path(self, text: str) -> Pages:
        wanted = unicodedata.normalize("NFC", text).casefold()
        rows = self._connection.execute("SELECT id, path FROM page")
        return {
            page for page, path in rows if wanted in unicodedata.normalize("NFC", path).casefold()
        }

    def _select(self, query: str, *values: str) -> Pages:
        return {page for (page,) in self._connection.execute(query, values)}


def phrase_expressions(terms: Iterable[Term]) -> list[tuple[Table, str]]:
    """Return what says that terms follow each other; words and pairs are in tables of their own."""
    expressions: list[tuple[Table, str]] = []
    tables: tuple[Table, ...] = ("words", "grams")
    for table in tables:
        mine = [term for term in terms if term.table == table]
        if mine:
            text = " ".join(term.text for term in mine)
            expressions.append((table, f'"{text}"{"*" if mine[-1].is_prefix else ""}'))
    return expressions
