"""Names and values of properties that other pages have, for completion."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from vault.article.page import parse_article
from vault.errors import VaultError
from vault.listing import Note
from vault.vault import Vault

# What Obsidian and zib give a meaning to; offered even where no page has it yet.
_COMMON = ("aliases", "tags", "cssclasses", "date", "created", "source", "status")
_MOST_PAGES = 300
_MOST_CHARACTERS = 8_000
_MOST_VALUES = 200
_LONGEST_VALUE = 60


@dataclass(frozen=True, slots=True)
class KnownProperties:
    """The names, the commonest first, and what values each has."""

    names: tuple[str, ...] = _COMMON
    values: dict[str, tuple[str, ...]] = field(default_factory=dict)


def read_known(vault: Vault, notes: Iterable[Note]) -> KnownProperties:
    """Look at the pages that were changed last. Reads files."""
    names: Counter[str] = Counter()
    values: dict[str, Counter[str]] = {}
    for note in heapq.nlargest(_MOST_PAGES, notes, key=lambda note: note.modified_ns):
        try:
            text = vault.read(note.path).text or ""
        except VaultError:
            continue
        front = _front(text)
        found = parse_article(front).front_matter if front else None
        for each in found.properties if found is not None else ():
            names[each.key] += 1
            kept = values.setdefault(each.key.casefold(), Counter())
            kept.update(value for value in each.texts if _is_short(value))
    ranked = [name for name, _ in names.most_common()]
    others = (name for name in _COMMON if name not in names)
    return KnownProperties(
        (*ranked, *others),
        {
            key: tuple(value for value, _ in each.most_common(_MOST_VALUES))
            for key, each in values.items()
        },
    )


def _is_short(value: str) -> bool:
    return len(value) <= _LONGEST_VALUE and len(value.splitlines()) == 1


def _front(text: str) -> str:
    """The front matter alone; nothing else of the page is parsed."""
    if not text.startswith("---"):
        return ""
    end = text.find("\n---", 3, _MOST_CHARACTERS)
    return f"{text[:end]}\n---\n" if end > 0 else ""
