"""The licence that a model card's front matter names."""

from __future__ import annotations

import re
from pathlib import Path

from engine.models.model_file import read_start

_CARD_BYTES = 64 << 10
_LONGEST = 80
_LIST_ITEM = re.compile(r"\s*-\s+(.+)")


def licence_of(folder: Path) -> str:
    """The licence as the card of the folder names it, in one short line, or empty."""
    card = (read_start(folder / "README.md", _CARD_BYTES) or b"").decode(errors="replace")
    lines = card.lstrip("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != "---":
        return ""
    fields = _fields(lines[1:])
    # `other` stands for a licence of the maker's own, which has a name beside it.
    licence = fields.get("license", "")
    own_name = fields.get("license_name", "")
    return (own_name if licence.lower() in {"", "other"} and own_name else licence)[:_LONGEST]


def _fields(lines: list[str]) -> dict[str, str]:
    """Top-level keys with a plain value, or with the first item of a list."""
    fields: dict[str, str] = {}
    key = ""
    for line in lines:
        if line.rstrip() in {"---", "..."}:
            return fields
        if item := _LIST_ITEM.fullmatch(line):
            if key and not fields[key]:
                fields[key] = _plain(item[1])
        elif line[:1].strip() and line[:1] != "#" and ":" in line:
            key, _, value = line.partition(":")
            key = key.strip()
            fields.setdefault(key, _plain(value))
    return {}


def _plain(value: str) -> str:
    value = re.split(r"\s#", value, maxsplit=1)[0].strip()
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    return value.strip("[] \t\"'") if value.startswith("[") else value
