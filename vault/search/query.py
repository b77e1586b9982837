"""What somebody who types a query means by it. Any text is a query; none is an error."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal, cast, get_args

Field = Literal["title", "heading", "tag", "category", "path"]
FIELDS: tuple[Field, ...] = get_args(Field)

_PIECE = re.compile(
    r"(?P<minus>[-−](?=[\"“”„«\w#]))?"
    rf"(?:(?P<field>{'|'.join(FIELDS)}):(?=\S))?"
    r"(?:[\"“”„«](?P<quoted>[^\"“”„«»]*)[\"“”»]?|(?P<bare>\S+))",
    re.IGNORECASE,
)
_TAG = re.compile(r"#(?=[^\W\d])[\w/-]+")
_LONGEST = 2000


@dataclass(frozen=True, slots=True)
class Filter:
    """What every page found must have, or must not: a tag, a word in its title."""

    field: Field
    text: str
    is_excluded: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A query taken apart. `words` are as typed, `typed` is what they were typed as together.

    `tags` were written as `#tag`: where no page has one, it is a word. `is_unfinished` says that
    the last word may go on.
    """

    typed: str
    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    filters: tuple[Filter, ...] = ()
    tags: tuple[str, ...] = ()
    is_unfinished: bool = False


def parse_query(text: str, is_typing: bool = False) -> Query:
    """Take a query apart; what comes after 2,000 characters is left out."""
    text = unicodedata.normalize("NFC", text.encode("utf-8", "replace").decode()[:_LONGEST])
    words: list[str] = []
    phrases: list[str] = []
    excluded: list[str] = []
    filters: list[Filter] = []
    tags: list[str] = []
    is_last_word = False
    for found in _PIECE.finditer(text):
        quoted, bare = found["quoted"], found["bare"]
        said = quoted if bare is None else bare
        is_last_word = False
        if not said.strip():
            continue
        if found["field"]:
            field = cast(Field, found["field"].lower())
            filters.append(Filter(field, said.strip(), bool(found["minus"])))
        elif bare and _TAG.fullmatch(bare):
            name = bare[1:]
            if found["minus"]:
                filters.append(Filter("tag", name, is_excluded=True))
            else:
                tags.append(name)
        elif found["minus"]:
            excluded.append(said)
        elif bare is None:
            phrases.append(said)
        else:
            words.append(said)
            is_last_word = True
    return Query(
        typed=" ".join((*words, *phrases)),
        words=tuple(words),
        phrases=tuple(phrases),
        excluded=tuple(excluded),
        filters=tuple(filters),
        tags=tuple(tags),
        is_unfinished=is_typing and is_last_word and not text[-1:].isspace(),
    )
