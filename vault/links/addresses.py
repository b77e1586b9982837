"""Finds the addresses a page links to: `[text](https://…)`, `<https://…>` and bare ones."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vault.links.brackets import bracket_links

_SCHEME = re.compile(r"<?[A-Za-z][A-Za-z0-9+.-]{1,20}:[^\s]")
_BARE = re.compile(
    r"(?:https?|ftp)://[^\s<>\"|]{1,2000}|(?<=<)[A-Za-z][\w+.-]{1,20}:[^\s<>]{1,2000}"
)
_AT_END = ".,:;!?'*_"
_PAIRS = {")": "(", "]": "["}


@dataclass(frozen=True, slots=True)
class Address:
    """An address as written; offsets are code points. `label` is its text, or the address."""

    start: int
    end: int
    target: str
    label: str


def addresses_in(text: str, prose: str) -> tuple[Address, ...]:
    """Find them, in order; `prose` is the masked copy of `text`."""
    found = [
        Address(
            link.start, link.end, text[slice(*link.target)].strip("<>"), text[slice(*link.label)]
        )
        for link in bracket_links(prose)
        if not link.is_embed and _SCHEME.match(prose, *link.target)
    ]
    # Brackets of two links do not cross, so one place is in at most one of them.
    taken = sorted((link.start, link.end) for link in bracket_links(prose))
    found += _bare(text, prose, taken)
    return tuple(sorted(found, key=lambda address: address.start))


def _bare(text: str, prose: str, taken: list[tuple[int, int]]) -> Iterator[Address]:
    waiting = iter(taken)
    start, end = next(waiting, (len(text), len(text)))
    for each in _BARE.finditer(prose):
        while end <= each.start():
            start, end = next(waiting, (len(text), len(text) + 1))
        if each.start() < start or each.start() >= end:
            target = _trimmed(each.group())
            yield Address(each.start(), each.start() + len(target), target, target)


def _trimmed(address: str) -> str:
    """Leave out what ends the sentence and not the address."""
    while address:
        last = address[-1]
        is_open = last in _PAIRS and address.count(last) > address.count(_PAIRS[last])
        if not (is_open or last in _AT_END):
            break
        address = address[:-1]
    return address
