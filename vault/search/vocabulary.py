"""The tokens of the index: how many pages have each, and which begin alike."""

import apsw

from vault.search.terms import Term


class Vocabulary:
    """Asks the tables of tokens of one connection."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        for table in ("words", "grams"):
            connection.execute(
                f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{table}_vocab"
                f" USING fts5vocab(main, {table}, row)"
            )

    def pages_with(self, term: Term) -> int:
        """How many pages hold a term."""
        if term.is_prefix:
            query = f"SELECT count(*) FROM {term.table} WHERE {term.table} MATCH ?"
            return int(self.connection.execute(query, (term.expression,)).get)
        query = f"SELECT doc FROM temp.{term.table}_vocab WHERE term = ?"
        return int(self.connection.execute(query, (term.token,)).get or 0)

    def begins_more(self, term: Term, most: int) -> bool:
        """Whether more than so many tokens begin like a term."""
        query = (
            f"SELECT count(*) FROM (SELECT 1 FROM temp.{term.table}_vocab"
            " WHERE term >= ? AND term < ? LIMIT ?)"
        )
        values = (term.token, term.token + "\U0010ffff", most + 1)
        return int(self.connection.execute(query, values).get) > most

    def commonest(self, term: Term) -> tuple[str, ...]:
        """The commonest tokens that begin like a term, of the first thousand."""
        query = (
            f"SELECT term FROM (SELECT term, doc FROM temp.{term.table}_vocab"
            " WHERE term >= ? AND term < ? LIMIT 1000) ORDER BY doc DESC LIMIT 2"
        )
        found = self.connection.execute(query, (term.token, term.token + "\U0010ffff"))
        return tuple(str(token) for (token,) in found)
