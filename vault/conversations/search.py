"""Full-text search over all chats: ranked messages with the exact places of what was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import apsw

from vault.conversations.database import Database
from vault.conversations.query import NO_FILTER, ChatFilter, parse_chat_query
from vault.conversations.rows import CHAT_QUERY, to_chat
from vault.conversations.snippets import places_in, snippet_of
from vault.conversations.statements import (
    Sought,
    chat_conditions,
    find_any,
    find_messages,
    phrase,
)
from vault.conversations.stored import encoded, readable, to_time
from vault.conversations.values import Chat, Role
from vault.search.query import Query
from vault.search.terms import Analyser, Term, Wanted

_MOST_TERMS = 32


@dataclass(frozen=True, slots=True)
class ChatHit:
    """A message that was found.

    `places` are its own characters, from and up to; `highlights` those of the snippet. A hit on a
    title has no message.
    """

    chat: Chat
    message: str
    role: Role
    created: datetime
    snippet: str
    highlights: tuple[tuple[int, int], ...]
    places: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class ChatResults:
    """What was found, the best first. `is_loosened`: no message has all that was asked for."""

    hits: tuple[ChatHit, ...] = ()
    chats: tuple[Chat, ...] = ()
    is_loosened: bool = False


class ChatSearch:
    """Blocking; any thread may call. Raises ConversationError, never for what was typed."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._analyser = Analyser()

    def find(
        self,
        text: str,
        condition: ChatFilter = NO_FILTER,
        limit: int = 50,
        is_typing: bool = False,
    ) -> ChatResults:
        """Find messages with all the words, or with any when none has all.

        `is_typing` lets the last word go on. Without words: the latest that the filter lets by.
        """
        query, condition = parse_chat_query(text, condition, is_typing)
        sought, terms = self._sought(query)
        excluded, _ = self._sought(Query("", phrases=query.excluded))
        has_words = bool(query.words or query.phrases)
        if has_words and not sought:
            return ChatResults()
        with self._database.reading() as connection:
            chats = self._titled(connection, query, condition) if has_words else ()
            keys = find_messages(connection, condition, sought, excluded, limit)
            is_loosened = not keys and not chats and len(sought) > 1
            if is_loosened:
                keys = find_any(connection, condition, sought, excluded, limit)
            wanted = Wanted(
                {term.token: 1.0 for term in terms},
                tuple(term.token for term in terms if term.is_prefix),
                any(term.table == "grams" for term in terms),
            )
            hits = self._hits(connection, keys, wanted)
        return ChatResults(hits, chats, is_loosened and bool(hits))

    def _sought(self, query: Query) -> tuple[list[Sought], list[Term]]:
        said = [*query.words, *query.phrases][:_MOST_TERMS]
        sought: list[Sought] = []
        terms: list[Term] = []
        for index, text in enumerate(said):
            found = self._analyser.terms(text)
            if query.is_unfinished and index == len(query.words) - 1 and found:
                found = (*found[:-1], replace(found[-1], is_prefix=True))
            if found:
                terms += found
                sought.append(Sought(phrase(found, "words"), phrase(found, "grams")))
        return sought, terms

    def _titled(
        self, connection: apsw.Connection, query: Query, chosen: ChatFilter
    ) -> tuple[Chat, ...]:
        """The chats whose title or beginning has every word."""
        terms = [
            term for text in (*query.words, *query.phrases) for term in self._analyser.terms(text)
        ]
        if query.is_unfinished and terms:
            terms[-1] = replace(terms[-1], is_prefix=True)
        if not terms or chosen.role or chosen.model or chosen.chat:
            return ()
        condition, values = chat_conditions(chosen)
        titles = connection.execute(
            "SELECT key, CAST(title AS BLOB) FROM chat WHERE title <> ''"
            f" AND {condition} ORDER BY is_pinned DESC, changed DESC",
            values,
        )
        keys = [key for key, title in titles if self._has_all(readable(title), terms)]
        rows = connection.execute(
            f"{CHAT_QUERY} WHERE chat.key IN (SELECT value FROM json_each(?))"
            " ORDER BY is_pinned DESC, changed DESC",
            (encoded(keys),),
        )
        return tuple(to_chat(row) for row in rows)

    def _has_all(self, title: str, terms: Sequence[Term]) -> bool:
        tokens = self._analyser.keys(title)
        return all(
            any(token.startswith(term.token) for token in tokens)
            if term.is_prefix
            else term.token in tokens
            for term in terms
        )

    def _hits(
        self, connection: apsw.Connection, keys: list[int], wanted: Wanted
    ) -> tuple[ChatHit, ...]:
        chats: dict[int, Chat] = {}
        hits: list[ChatHit] = []
        for key in keys:
            id, chat, role, created, zone, content = connection.execute(
                "SELECT id, chat, role, created, zone, CAST(text AS BLOB) FROM message"
                " WHERE key = ?",
                (key,),
            ).get
            if chat not in chats:
                query = f"{CHAT_QUERY} WHERE chat.key = ?"
                chats[chat] = to_chat(connection.execute(query, (chat,)).get)
            text = readable(content)
            places = places_in(text, self._analyser, wanted)
            snippet, highlights = snippet_of(text, places)
            moment = to_time(created, zone)
            hits.append(ChatHit(chats[chat], id, role, moment, snippet, highlights, places))
        return tuple(hits)
