"""How long ago something was, in few cells."""

from __future__ import annotations

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_UNITS = ((365 * _DAY, "y"), (30 * _DAY, "mo"), (7 * _DAY, "w"), (_DAY, "d"), (_HOUR, "h"))


def age_words(seconds: float) -> str:
    """`now`, `5 min`, `2 h`, `3 d`, `5 w`, `8 mo`, `2 y`; a time to come is `now`."""
    for size, unit in _UNITS:
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{int(seconds // _MINUTE)} min" if seconds >= _MINUTE else "now"
