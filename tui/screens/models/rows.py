"""One model as one line of the picker's list."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.cells import cell_len
from textual.content import Content

from engine.models.builtin_source import FetchProgress
from engine.models.entry import ModelEntry
from engine.plan.contract import MemoryPlan
from tui.models.shelf import Item, Offer
from tui.screens.models.wording import verdict_badge, verdict_style
from tui.text.content import literal_line
from tui.text.line import to_line
from tui.widgets.gauge.units import format_bytes

_SIZE_CELLS, _BADGE_CELLS, _MARK_CELLS = 10, 9, 2
_COLUMNS_WITH_SIZE = 46
_LEAST_NAME_CELLS = 4


@dataclass(frozen=True, slots=True)
class Badge:
    """A word at the end of a line, and its colour."""

    text: str
    style: str


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of an item besides itself; `plan` is a sentence where none can be made."""

    plan: MemoryPlan | str | None = None
    progress: FetchProgress | None = None
    is_loaded: bool = False


def badge_of(item: Item, known: Known) -> Badge:
    """The one thing to know first."""
    if known.progress is not None:
        return Badge(_percent(known.progress), "$text-accent")
    if isinstance(item, Offer):
        return Badge("get", "$text-accent")
    if item.problem:
        return Badge("broken", "$text-error")
    return _MUTED_DEMO if item.source == "builtin" else _plan_badge(known.plan)


_MUTED_DEMO = Badge("demo", "$foreground-muted")


def _plan_badge(plan: MemoryPlan | str | None) -> Badge:
    match plan:
        case None:
            return Badge("…", "$foreground-muted")
        case MemoryPlan(verdict=verdict):
            return Badge(verdict_badge(verdict), verdict_style(verdict))
        case _:
            return Badge("no plan", "$foreground-muted")


def row_text(item: Item, known: Known, width: int, is_highlighted: bool = False) -> Content:
    """Mark, name, badge and, where there is room, size; `width` cells in all.

    A highlighted line has one colour: those of badges are made for the list's own background.
    """
    badge = badge_of(item, known)
    size_cells = _SIZE_CELLS if width >= _COLUMNS_WITH_SIZE else 0
    name_cells = max(width - _MARK_CELLS - _BADGE_CELLS - size_cells, _LEAST_NAME_CELLS)
    name = to_line(item.name, name_cells)
    parts: list[str | Content] = [
        Content("● " if known.is_loaded else "  ").stylize("$text-success"),
        literal_line(name),
        " " * (name_cells - cell_len(name)),
        Content(badge.text.rjust(_BADGE_CELLS)).stylize(badge.style),
    ]
    if size_cells:
        parts.append(Content(_size(item).rjust(size_cells)).stylize("$foreground-muted"))
    line = Content.assemble(*parts)
    return Content(line.plain) if is_highlighted else line


def _size(item: Item) -> str:
    count = item.bytes if isinstance(item, Offer) else item.bytes_on_disk
    return format_bytes(count) if count > 0 else ""


def _percent(progress: FetchProgress) -> str:
    if progress.total_bytes <= 0:
        return "starting"
    return f"{min(progress.done_bytes / progress.total_bytes, 1):.0%}"


def source_line(entry: ModelEntry) -> str:
    """Where the model lies."""
    if entry.source == "builtin" and not entry.bytes_on_disk:
        return "built in; fetched when it is first used"
    return home_relative(entry.folder)


def home_relative(folder: Path) -> str:
    """The path, with `~` for the home folder."""
    home = Path.home()
    return f"~/{folder.relative_to(home)}" if folder.is_relative_to(home) else str(folder)
