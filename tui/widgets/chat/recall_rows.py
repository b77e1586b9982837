"""What was recalled, as lines: folded to one, or a row for each passage."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len
from textual.content import Content
from textual.style import Style

from tui.assistant.recall.record import Passage, Source, Why
from tui.text.content import literal, literal_line
from tui.text.line import to_line
from tui.text.width import elide

RowDeed = Literal["open", "pin", "drop", "why"]
_ROW, _DEED = "recall_row", "recall_deed"
_MOST_NAME = 60
_LEAST_FOR_WORDS = 46
_DIM, _KEY = Style(dim=True), Style(bold=True)


@dataclass(frozen=True, slots=True)
class Row:
    """One passage on the screen; `why` and `shown` are seen when it is opened."""

    path: str
    anchor: str
    line: int
    name: str
    date: str
    why: str = ""
    shown: str = ""
    is_pinned: bool = False
    is_dropped: bool = False


def passage_rows(passages: Sequence[Passage]) -> tuple[Row, ...]:
    """Rows of what was recalled for a question."""
    return tuple(
        Row(
            each.path,
            each.anchor,
            each.line,
            each.name,
            each.date,
            _reason(each),
            each.shown.partition("\n")[2],
            each.is_pinned,
            each.is_dropped,
        )
        for each in passages
    )


def source_rows(sources: Sequence[Source]) -> tuple[Row, ...]:
    """Rows of what was in the prompt of an answer."""
    return tuple(Row(each.path, each.anchor, each.line, each.name, each.date) for each in sources)


def folded_line(rows: Sequence[Row], head: str, width: int) -> Content:
    """As many names as there is room for, and how many more there are."""
    parts = [Content.styled(f"▸ {head} ", _DIM)]
    left = width - cell_len(head) - 4
    shown = [row for row in rows if not row.is_dropped]
    for place, row in enumerate(shown):
        more = len(shown) - place
        sign = "◆ " if row.is_pinned else ""
        text = f"{sign}{to_line(row.name, _MOST_NAME)}"
        needs = cell_len(text) + (3 if place else 0)
        reserve = len(f" · +{more - 1}") if more > 1 else 0
        if needs + reserve > left:
            if place:
                parts.append(Content.styled(f" · +{more}", _DIM))
            else:
                parts.append(_target(elide(text, max(1, left - reserve)), rows.index(row), "open"))
                if more > 1:
                    parts.append(Content.styled(f" · +{more - 1}", _DIM))
            break
        if place:
            parts.append(Content.styled(" · ", _DIM))
        parts.append(_target(text, rows.index(row), "open"))
        left -= needs
    if not shown:
        parts.append(Content.styled("all dropped", _DIM))
    return Content("").join(parts)


def open_lines(
    rows: Sequence[Row],
    head: str,
    cursor: int | None,
    opened: Collection[int],
    width: int,
    *,
    can_change: bool,
) -> Content:
    """A row for each passage; `cursor` is None where no key goes to them."""
    keys = _keys(can_change=can_change) if cursor is not None else ()
    lines = [Content.styled(_fitted(f"▾ {head}", keys, width), _DIM)]
    for place, row in enumerate(rows):
        lines.append(_row(row, place, place == cursor, width, can_change=can_change))
        if place in opened:
            lines += [
                Content.assemble("    ", each)
                for told in _opened(row)
                for each in told.wrap(max(8, width - 5))
            ]
    return Content("\n").join(lines)


def deed_at(meta: dict[str, object]) -> tuple[int, str] | None:
    """What was clicked on: the row and what is done with it."""
    row, deed = meta.get(_ROW), meta.get(_DEED)
    return (row, deed) if isinstance(row, int) and isinstance(deed, str) else None


def _keys(*, can_change: bool) -> tuple[str, ...]:
    if can_change:
        return ("Enter open", "p pin", "d drop", "w why", "Esc back")
    return ("Enter open", "Esc back")


def _fitted(text: str, parts: Sequence[str], width: int) -> str:
    for part in parts:
        longer = f"{text} · {part}"
        if len(longer) > width:
            break
        text = longer
    return text


def _row(row: Row, place: int, is_chosen: bool, width: int, *, can_change: bool) -> Content:
    sign = "◆" if row.is_pinned else "✗" if row.is_dropped else " "
    words = _words(row, place) if can_change and width >= _LEAST_FOR_WORDS else []
    tail = sum(len(each.plain) + 1 for each in words) + (len(row.date) + 2 if row.date else 0)
    room = max(8, width - 4 - tail)
    name = elide(to_line(row.name), room)
    style = _DIM if row.is_dropped else _KEY if is_chosen else Style()
    pieces = [
        Content("› " if is_chosen else "  "),
        Content(f"{sign} "),
        _target(name, place, "open").stylize(style),
        Content(" " * (room - cell_len(name))),
    ]
    if row.date:
        pieces.append(Content.styled(f"  {to_line(row.date)}", _DIM))
    for each in words:
        pieces += [Content(" "), each]
    return Content("").join(pieces)


def _words(row: Row, place: int) -> list[Content]:
    pin = "unpin" if row.is_pinned else "pin"
    drop = "keep" if row.is_dropped else "drop"
    said: tuple[tuple[str, RowDeed], ...] = ((pin, "pin"), (drop, "drop"), ("why", "why"))
    return [_target(text, place, deed).stylize(Style(underline=True)) for text, deed in said]


def _opened(row: Row) -> Iterator[Content]:
    yield Content.styled(literal_line(row.why or "It is not known any more.").plain, _DIM)
    yield from literal(row.shown).split("\n", allow_blank=True)


def _target(text: str, place: int, deed: RowDeed) -> Content:
    return Content.styled(text, Style.from_meta({_ROW: place, _DEED: deed}))


def _reason(passage: Passage) -> str:
    told = [_part(each) for each in passage.why if each.points > 0]
    reason = "Found by " + "; ".join(told) if told else "Kept because it was pinned"
    hidden = f" {passage.hidden} hidden characters were left out." if passage.hidden else ""
    return f"{reason}.{hidden}"


def _part(part: Why) -> str:
    words = ", ".join(part.words)
    match part.name:
        case "words":
            named = f"its words {words}"
        case "name":
            named = f"its name {words}"
        case "proximity":
            named = f"words beside each other ({words})"
        case "linked":
            named = f"links from {words}"
        case _:
            named = f"{part.name} {words}"
    return f"{named}: {part.points:.1f}"
