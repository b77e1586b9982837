"""Writes a moment by a format of Moment.js, the language of Obsidian's daily notes and templates.

Names of months and days are the English ones. What is not a token is written as it stands; so is
what is in brackets, without them.
"""

import re
from collections.abc import Callable
from datetime import datetime, timedelta

_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_LONG = {
    "LTS": "h:mm:ss A",
    "LT": "h:mm A",
    "LLLL": "dddd, MMMM D, YYYY h:mm A",
    "LLL": "MMMM D, YYYY h:mm A",
    "LL": "MMMM D, YYYY",
    "L": "MM/DD/YYYY",
    "llll": "ddd, MMM D, YYYY h:mm A",
    "lll": "MMM D, YYYY h:mm A",
    "ll": "MMM D, YYYY",
    "l": "M/D/YYYY",
}
_TOKEN = re.compile(
    r"\[([^\]]*)\]|"
    r"(LTS|LT|L{1,4}|l{1,4}|YYYYYY|YYYY|YY|Y|Qo|Q|MMMM|MMM|MM|Mo|M|DDDD|DDDo|DDD|DD|Do|D|"
    r"dddd|ddd|dd|do|d|E|e|gggg|gg|GGGG|GG|ww|wo|w|WW|Wo|W|HH|H|hh|h|kk|k|mm|m|ss|s|"
    r"S{1,9}|ZZ|Z|X|x|A|a)"
)


def format_moment(when: datetime, pattern: str) -> str:
    """Return the moment in its own zone; one without a zone is taken for this machine's."""
    moment = when if when.tzinfo is not None else when.astimezone()
    return _TOKEN.sub(lambda found: _written(moment, found), pattern)


def _written(when: datetime, found: re.Match[str]) -> str:
    literal, token = found.groups()
    if token is None:
        return str(literal)
    if token in _LONG:
        return format_moment(when, _LONG[token])
    if token.startswith("S"):
        return f"{when.microsecond:06d}000"[: len(token)]
    return _TOKENS[token](when)


def _ordinal(number: int) -> str:
    if number % 100 in {11, 12, 13}:
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def _week(when: datetime) -> tuple[int, int]:
    """The year and week of weeks that begin on Sunday; the first one has January 1 in it."""
    sunday = when.date() - timedelta(days=when.isoweekday() % 7)
    saturday = sunday + timedelta(days=6)
    return saturday.year, (saturday.timetuple().tm_yday - 1) // 7 + 1


def _offset(when: datetime, colon: str) -> str:
    seconds = int((when.utcoffset() or timedelta()).total_seconds())
    hours, minutes = divmod(abs(seconds) // 60, 60)
    return f"{'-' if seconds < 0 else '+'}{hours:02d}{colon}{minutes:02d}"


def _twelve(when: datetime) -> int:
    return when.hour % 12 or 12


def _twenty_four(when: datetime) -> int:
    return when.hour or 24


def _day_of_year(when: datetime) -> int:
    return when.timetuple().tm_yday


def _weekday(when: datetime) -> int:
    return when.isoweekday() % 7


def _quarter(when: datetime) -> int:
    return (when.month + 2) // 3


_TOKENS: dict[str, Callable[[datetime], str]] = {
    "YYYYYY": lambda when: f"+{when.year:06d}",
    "YYYY": lambda when: f"{when.year:04d}",
    "YY": lambda when: f"{when.year % 100:02d}",
    "Y": lambda when: str(when.year),
    "Q": lambda when: str(_quarter(when)),
    "Qo": lambda when: _ordinal(_quarter(when)),
    "MMMM": lambda when: _MONTHS[when.month - 1],
    "MMM": lambda when: _MONTHS[when.month - 1][:3],
    "MM": lambda when: f"{when.month:02d}",
    "Mo": lambda when: _ordinal(when.month),
    "M": lambda when: str(when.month),
    "DDDD": lambda when: f"{_day_of_year(when):03d}",
    "DDDo": lambda when: _ordinal(_day_of_year(when)),
    "DDD": lambda when: str(_day_of_year(when)),
    "DD": lambda when: f"{when.day:02d}",
    "Do": lambda when: _ordinal(when.day),
    "D": lambda when: str(when.day),
    "dddd": lambda when: _DAYS[_weekday(when)],
    "ddd": lambda when: _DAYS[_weekday(when)][:3],
    "dd": lambda when: _DAYS[_weekday(when)][:2],
    "do": lambda when: _ordinal(_weekday(when)),
    "d": lambda when: str(_weekday(when)),
    "e": lambda when: str(_weekday(when)),
    "E": lambda when: str(when.isoweekday()),
    "gggg": lambda when: f"{_week(when)[0]:04d}",
    "gg": lambda when: f"{_week(when)[0] % 100:02d}",
    "GGGG": lambda when: f"{when.isocalendar().year:04d}",
    "GG": lambda when: f"{when.isocalendar().year % 100:02d}",
    "ww": lambda when: f"{_week(when)[1]:02d}",
    "wo": lambda when: _ordinal(_week(when)[1]),
    "w": lambda when: str(_week(when)[1]),
    "WW": lambda when: f"{when.isocalendar().week:02d}",
    "Wo": lambda when: _ordinal(when.isocalendar().week),
    "W": lambda when: str(when.isocalendar().week),
    "HH": lambda when: f"{when.hour:02d}",
    "H": lambda when: str(when.hour),
    "hh": lambda when: f"{_twelve(when):02d}",
    "h": lambda when: str(_twelve(when)),
    "kk": lambda when: f"{_twenty_four(when):02d}",
    "k": lambda when: str(_twenty_four(when)),
    "mm": lambda when: f"{when.minute:02d}",
    "m": lambda when: str(when.minute),
    "ss": lambda when: f"{when.second:02d}",
    "s": lambda when: str(when.second),
    "Z": lambda when: _offset(when, ":"),
    "ZZ": lambda when: _offset(when, ""),
    "X": lambda when: str(int(when.timestamp())),
    "x": lambda when: str(int(when.timestamp() * 1000)),
    "A": lambda when: "AM" if when.hour < 12 else "PM",
    "a": lambda when: "am" if when.hour < 12 else "pm",
}
