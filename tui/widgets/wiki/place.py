"""The frame of the wiki pane, there from the first frame on; the pane itself follows."""

from __future__ import annotations

from textual.containers import Vertical


class WikiPlace(Vertical):
    """Holds the wiki pane once it is there."""

    BORDER_TITLE = "Wiki"
