"""Text, times and JSON as the tables hold them."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any, TypeVar

import msgspec

from vault.conversations.values import EPOCH

Kind = TypeVar("Kind")
_MICROSECOND = timedelta(microseconds=1)
# The longest offset from UTC that a time may have.
_MOST_MINUTES = 24 * 60 - 1


def encoded(value: object) -> str:
    """A value as JSON that SQLite can hold."""
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:
        # Only a lone surrogate cannot be encoded, and it must go wherever it is.
        return msgspec.json.encode(_without_surrogates(msgspec.to_builtins(value))).decode()


def storable(text: str) -> str:
    """A text as SQLite takes it: a lone surrogate, which no file can hold, becomes U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def readable(content: bytes) -> str:
    """Stored text; what damage made unreadable becomes U+FFFD."""
    return content.decode("utf-8", "replace")


def now() -> datetime:
    """This moment with the zone of this machine."""
    return datetime.now().astimezone()


def from_time(moment: datetime) -> tuple[int, int]:
    """Microseconds since 1970 and minutes from UTC; a time without a zone is this machine's."""
    if moment.tzinfo is None:
        moment = moment.astimezone()
    offset = moment.utcoffset() or timedelta()
    return (moment - EPOCH) // _MICROSECOND, round(offset.total_seconds() / 60)


def to_time(microseconds: int, zone: int) -> datetime:
    """The time again; one that damage made impossible is the beginning of 1970."""
    try:
        minutes = max(-_MOST_MINUTES, min(_MOST_MINUTES, zone))
        moment = EPOCH + microseconds * _MICROSECOND
        return moment.astimezone(timezone(timedelta(minutes=minutes)))
    except (OverflowError, ValueError, TypeError):
        return EPOCH


def decoded(content: bytes, kind: type[Kind], instead: Kind) -> Kind:
    if not content:
        return instead
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, RecursionError):
        return instead


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list | tuple):
        return [_without_surrogates(each) for each in value]
    if isinstance(value, dict):
        return {storable(key): _without_surrogates(each) for key, each in value.items()}
    return value
