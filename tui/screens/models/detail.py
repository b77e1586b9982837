"""The highlighted model beside the list: what it is, and its plan or the reason for none."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from engine.models.entry import ModelEntry
from engine.plan.contract import MemoryPlan
from tui.models.shelf import Item, Offer
from tui.screens.models.plan_text import plan_lines
from tui.screens.models.rows import Known, source_line
from tui.screens.models.wording import facts_line, progress_line
from tui.text.content import literal, literal_line
from tui.widgets.gauge.units import format_bytes

_LEAST_WIDTH = 20
NAME_LINES = 3
"""The longest name, in lines."""
DEMO = (
    "A demo: small enough to run anywhere, and not clever. Choose a recommended model and press "
    "Enter to get a better one."
)


class Detail(VerticalScroll):
    """Shows one model at a time; never a plan that is not its own."""

    can_focus = True

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._shown: tuple[Item, Known] | None = None
        self._text = Static(Content("looking for models"), id="detail-text")

    def compose(self) -> ComposeResult:
        """One text."""
        yield self._text

    def show(self, item: Item | None, known: Known) -> None:
        """Draw this model, or that there is none."""
        is_other = self._shown is None or self._shown[0] != item
        self._shown = None if item is None else (item, known)
        if is_other:
            self.scroll_home(animate=False)
        self._draw()

    def on_resize(self) -> None:
        """The bar is as wide as the pane."""
        self._draw()

    def _draw(self) -> None:
        if self._shown is None:
            self._text.update(Content(""))
            return
        item, known = self._shown
        width = max(self.scrollable_content_region.width, _LEAST_WIDTH)
        self._text.update(
            offer_text(item, known) if isinstance(item, Offer) else entry_text(item, known, width)
        )


def entry_text(entry: ModelEntry, known: Known, width: int) -> Content:
    """A model that is here."""
    name = literal_line(entry.name, NAME_LINES * width).stylize("bold")
    facts = literal(f"{facts_line(entry)}\n{source_line(entry)}").stylize("$foreground-muted")
    if entry.problem:
        return Content("\n").join([name, literal(entry.problem).stylize("$text-error"), facts])
    parts = [name]
    if entry.source == "builtin":
        parts.append(Content(DEMO))
    match known.plan:
        case None:
            parts.append(Content("planning…").stylize("$foreground-muted"))
        case MemoryPlan():
            parts.append(plan_lines(known.plan, width))
        case sentence:
            parts.append(literal(sentence))
    return Content("\n").join([*parts, Content(""), facts])


def offer_text(offer: Offer, known: Known) -> Content:
    """A model that is not here yet."""
    lines = [
        literal_line(offer.repository).stylize("bold"),
        literal(f"Recommended for {offer.memory}: {offer.purpose}."),
        literal(f"{format_bytes(offer.bytes)} to download · licence {offer.licence}"),
        Content(""),
    ]
    if known.progress is None:
        lines.append(Content("Not on this machine. Enter downloads it."))
    else:
        lines.append(Content(progress_line(known.progress)))
        lines.append(Content("It goes on when this window is closed. Enter stops it."))
    return Content("\n").join(lines)
