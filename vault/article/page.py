"""One page read by the article grammar. Nothing in it changes; edits are made from it."""

from dataclasses import dataclass
from functools import cached_property

from vault.anchors import heading_key
from vault.article.blocks import Layout, read_layout
from vault.article.footnotes import Footnotes, read_footnotes
from vault.article.front_matter import FrontMatter, read_front_matter
from vault.article.headings import Heading, read_headings
from vault.article.infobox import Infobox, read_infobox
from vault.article.lines import ByteOffsets
from vault.article.opening import Opening, read_opening
from vault.article.sections import Section, find_section, read_sections
from vault.article.splices import Edit, Edits, apply_to_bytes, in_order
from vault.errors import ReadOnlyArticle
from vault.masked import mask
from vault.text import decode


@dataclass(frozen=True)
class Article:
    """A page and, found when first asked for, what is on it.

    Offsets are code points of `text`, which has the file's own line breaks and no byte order
    mark. `read_only_reason` says why an edit would be refused; None when it would not.
    """

    layout: Layout
    has_byte_order_mark: bool = False
    read_only_reason: str | None = None

    @property
    def text(self) -> str:
        """The whole text."""
        return self.layout.text

    @cached_property
    def front_matter(self) -> FrontMatter | None:
        """The properties at the top."""
        return read_front_matter(self.layout)

    @cached_property
    def headings(self) -> tuple[Heading, ...]:
        """Every heading with its anchor."""
        return read_headings(self.layout)

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The sections; with the front matter they cover the whole text."""
        start = self.layout.lines.start(self.layout.front_lines)
        return read_sections(self.headings, start, len(self.text))

    @cached_property
    def prose(self) -> str:
        """A copy of equal length with code, comments, formulas and front matter blanked out."""
        return mask(self.layout)

    @cached_property
    def opening(self) -> Opening:
        """What stands above the sections: stub mark, series, categories, lead, redirect."""
        return read_opening(self.layout, self.prose, self.headings, self.infobox)

    @cached_property
    def infobox(self) -> Infobox | None:
        """The first closed `info` fence."""
        return read_infobox(self.layout)

    @cached_property
    def footnotes(self) -> Footnotes:
        """The footnote marks and definitions."""
        return read_footnotes(self.layout, self.prose)

    @cached_property
    def offsets(self) -> ByteOffsets:
        """Where the characters lie in the file."""
        return ByteOffsets(self.text, has_byte_order_mark=self.has_byte_order_mark)

    @property
    def heading(self) -> Heading | None:
        """The first heading of level one outside quotes and lists."""
        return next((each for each in self.headings if _is_title(each)), None)

    def section(self, fragment: str) -> Section | None:
        """Return the section that `Title`, `Parent#Title` or an anchor names."""
        return find_section(self.sections, fragment)

    def find_heading(self, fragment: str) -> Heading | None:
        """Return the heading that a link's fragment names; one in a quote or a list counts too."""
        section = self.section(fragment)
        if section is not None:
            return section.heading
        wanted = fragment.rpartition("#")[2]
        key, anchor = heading_key(wanted), wanted.lower()
        nested = (each for each in self.headings if each.is_nested and key)
        return next(
            (each for each in nested if heading_key(each.title) == key or each.anchor == anchor),
            None,
        )

    def byte_range(self, start: int, end: int) -> tuple[int, int]:
        """Return where in the file the characters from `start` to `end` lie."""
        return self.offsets.byte(start), self.offsets.byte(end)

    def spliced(self, content: bytes, edits: Edits) -> bytes:
        """Return `content`, the bytes this page was read from, with the edits made.

        Raises ReadOnlyArticle for a page that cannot be edited, EditRefused for edits that clash.
        """
        if self.read_only_reason is not None:
            raise ReadOnlyArticle(f"The page cannot be changed: {self.read_only_reason}.")
        in_order(edits, len(self.text))
        return apply_to_bytes(content, edits, self.offsets)

    def edit_of_bytes(self, start: int, end: int, replacement: str) -> Edit:
        """Return the edit of the bytes from `start` to `end` of the file."""
        return Edit(self.offsets.character(start), self.offsets.character(end), replacement)


def parse_article(text: str) -> Article:
    """Read a page; every text is one."""
    return Article(read_layout(text))


def open_article(content: bytes) -> Article:
    """Read the bytes of a file. What is not UTF-8 is read-only, what is not text empty too."""
    decoded = decode(content)
    return Article(
        read_layout(decoded.text or ""),
        has_byte_order_mark=decoded.has_byte_order_mark,
        read_only_reason=decoded.problem,
    )


def _is_title(heading: Heading) -> bool:
    return heading.level == 1 and not heading.is_nested
