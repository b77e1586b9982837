"""The sections of a page; with its front matter they cover every character exactly once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vault.anchors import heading_key
from vault.article.headings import Heading


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what follows it up to the next heading.

    It takes the characters from `start` to `end`; its text starts at `body`. `tree_end` is where
    its last subsection ends. `path` holds the titles that lead to it, its own last. What comes
    before the first heading is a section without a heading.
    """

    heading: Heading | None
    path: tuple[str, ...]
    start: int
    body: int
    end: int
    tree_end: int

    @property
    def title(self) -> str:
        """The text of its heading; empty before the first one."""
        return self.heading.title if self.heading else ""

    @property
    def level(self) -> int:
        """The level of its heading; 0 before the first one."""
        return self.heading.level if self.heading else 0


def read_sections(headings: Sequence[Heading], start: int, end: int) -> tuple[Section, ...]:
    """Divide the characters from `start` to `end` at the headings that are not nested."""
    own = [heading for heading in headings if not heading.is_nested]
    starts = [*(heading.start for heading in own), end]
    tree_ends = _tree_ends(own, end)
    sections = []
    if start < starts[0] or not own:
        sections.append(Section(None, (), start, start, starts[0], starts[0]))
    above: list[Heading] = []
    for index, heading in enumerate(own):
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        path = tuple(each.title for each in above)
        sections.append(
            Section(
                heading,
                path,
                heading.start,
                heading.end,
                starts[index + 1],
                tree_ends[index],
            )
        )
    return tuple(sections)


def _tree_ends(headings: Sequence[Heading], end: int) -> list[int]:
    """Return for each heading where the next one of its level or a higher one starts."""
    ends = [end] * len(headings)
    unfinished: list[int] = []
    for index, heading in enumerate(headings):
        while unfinished and headings[unfinished[-1]].level >= heading.level:
            ends[unfinished.pop()] = heading.start
        unfinished.append(index)
    return ends


def find_section(sections: Sequence[Section], fragment: str) -> Section | None:
    """Return the section that a link's fragment names: `Title`, `Parent#Title` or `its-anchor`.

    Of several with the same title the first is meant, of anchors there are no two.
    """
    *parents, wanted = map(heading_key, fragment.lstrip("#").split("#"))
    if not wanted:
        return None
    for section in sections:
        titles = [heading_key(title) for title in section.path]
        if titles and titles[-1] == wanted and _is_led_to(iter(titles[:-1]), parents):
            return section
    anchor = fragment.lstrip("#").lower()
    return next((each for each in sections if each.heading and each.heading.anchor == anchor), None)


def _is_led_to(titles: Iterator[str], parents: list[str]) -> bool:
    """Tell whether the parents occur among the titles above, in order."""
    return all(parent in titles for parent in parents)
