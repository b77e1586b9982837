"""A link as it is written in an article."""

from dataclasses import dataclass
from typing import Literal

LinkForm = Literal["wikilink", "markdown", "definition", "property"]
"""`[[Page]]`, `[text](Page.md)`, `[label]: Page.md`, or a wikilink in the front matter."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link as written. Offsets are code points of the text.

    `start` to `end` is the whole construct; `place` is what is written for page and fragment, marks
    around it left out. `target` is decoded and empty for a link within the page. `fragment` is what
    follows the first `#`, None without one.
    """

    start: int
    end: int
    place: tuple[int, int]
    target: str
    fragment: str | None
    label: str
    is_embed: bool
    form: LinkForm

    @property
    def is_wikilink(self) -> bool:
        """Whether it is resolved by name first, and not as a path beside the page."""
        return self.form in {"wikilink", "property"}
