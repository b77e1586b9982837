"""Numbers for the eye, in few cells: bytes, tokens, speeds, shares. Never a made-up number."""

from __future__ import annotations

import math

BYTES_CELLS = 8
"""The most that `format_bytes` takes below an exbibyte, so that columns stand still."""

UNKNOWN = "?"
NOTHING = "–"

_UNITS = ("KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_LARGEST_EXACT_TOKENS = 9_999_999.5
_LARGEST_SHARE = 100.0


def format_bytes(count: float | None) -> str:
    """`1.25 GiB`, `98 MiB`, `0 MiB`; `?` for what is no size."""
    if count is None or not math.isfinite(count) or count < 0:
        return UNKNOWN
    if count == 0:
        return "0 MiB"
    if count < 1000:
        return f"{max(count, 1):.0f} B"
    amount, unit = count / 1024, 0
    while amount >= 999.5 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1024, unit + 1
    return f"{_digits(amount, 2 if unit >= 2 else 1)} {_UNITS[unit]}"


def format_tokens(count: float | None) -> str:
    """`12,345`; from ten million on `12.3 M`; `?` for what is no count."""
    if count is None or not math.isfinite(count) or count < 0:
        return UNKNOWN
    if count < _LARGEST_EXACT_TOKENS:
        return f"{count:,.0f}"
    return f"{count / 1e6:,.1f} M" if count < 9.999e9 else f"{count:.1e}"


def format_rate(per_second: float | None) -> str:
    """`31`, `0.2`, `1,234`; a dash when nothing runs, `?` when nobody knows."""
    if per_second is None:
        return UNKNOWN
    if not math.isfinite(per_second) or per_second <= 0:
        return NOTHING
    if per_second >= 1e6:
        return f"{per_second:.0e}"
    return f"{per_second:,.{1 if per_second < 9.95 else 0}f}"


def format_speed(per_second: float | None) -> str:
    """`31 tok/s`, or what `format_rate` says of none."""
    rate = format_rate(per_second)
    return rate if rate in {UNKNOWN, NOTHING} else f"{rate} tok/s"


def format_share(share: float | None) -> str:
    """`5 %`, also above 100; `?` when one side is unknown."""
    if share is None or not math.isfinite(share) or share < 0:
        return UNKNOWN
    if share > _LARGEST_SHARE:
        return f"{share:,.0f}×" if share < 1e6 else f"{share:.0e}×"
    if 0 < share < 0.01:
        return "<1 %"
    return f"{share:.0%}".replace("%", " %")


def _digits(amount: float, most: int) -> str:
    """Three significant digits with at most `most` behind the point."""
    if amount < 10 - 0.5 * 10**-most:
        return f"{amount:.{most}f}"
    if most > 1 and amount < 99.95:
        return f"{amount:.1f}"
    return f"{amount:.0f}" if amount < 1e6 else f"{amount:.0e}"
