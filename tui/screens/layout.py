"""Which panes are seen. Pure values; the style sheet turns the classes into a layout."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Place = Literal["hidden", "side", "full"]

# Below these many columns there is room for one pane, or for two; the style sheet knows them too.
ONE_PANE_COLUMNS = 80
TWO_PANE_COLUMNS = 110


@dataclass(frozen=True, slots=True)
class PaneLayout:
    """Where the wiki and the gauge are; the chat has what is left."""

    wiki: Place = "side"
    gauge: Place = "side"

    def with_wiki_toggled(self, columns: int) -> PaneLayout:
        """Beside the chat, alone, hidden; on a narrow screen alone or hidden."""
        if columns < ONE_PANE_COLUMNS:
            wiki: Place = "hidden" if self.wiki == "full" else "full"
        else:
            following: dict[Place, Place] = {"side": "full", "full": "hidden", "hidden": "side"}
            wiki = following[self.wiki]
        gauge: Place = "hidden" if wiki == "full" and self.gauge == "full" else self.gauge
        return replace(self, wiki=wiki, gauge=gauge)

    def with_gauge_toggled(self, columns: int) -> PaneLayout:
        """Shown or hidden; where there is room for two panes it takes the wiki's place."""
        if columns < ONE_PANE_COLUMNS:
            gauge: Place = "hidden" if self.gauge == "full" else "full"
            wiki: Place = "hidden" if gauge == "full" and self.wiki == "full" else self.wiki
            return replace(self, gauge=gauge, wiki=wiki)
        has_room = columns >= TWO_PANE_COLUMNS
        is_seen = self.wiki == "hidden" or (has_room and self.wiki == "side")
        if self.gauge == "side" and is_seen:
            return replace(self, gauge="hidden")
        beside: Place = "side" if has_room else "hidden"
        return replace(self, gauge="side", wiki=self.wiki if is_seen else beside)

    def with_wiki_seen(self, columns: int) -> PaneLayout:
        """Make sure an article can be read."""
        if columns < ONE_PANE_COLUMNS:
            return replace(self, wiki="full", gauge="hidden")
        return self if self.wiki != "hidden" else replace(self, wiki="side")

    def with_chat_seen(self) -> PaneLayout:
        """Make sure the prompt can be seen."""
        wiki: Place = "side" if self.wiki == "full" else self.wiki
        gauge: Place = "side" if self.gauge == "full" else self.gauge
        return replace(self, wiki=wiki, gauge=gauge)

    @property
    def classes(self) -> frozenset[str]:
        """Style classes of the screen."""
        return frozenset({f"-wiki-{self.wiki}", f"-gauge-{self.gauge}"})


ALL_CLASSES = frozenset(
    f"-{pane}-{place}" for pane in ("wiki", "gauge") for place in ("hidden", "side", "full")
)
