"""Finds tags: `#tag` and `#nested/tag` in prose, and those of the front matter."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import regex

from vault.article.blocks import Layout, read_layout
from vault.links.link import Link
from vault.links.scan import links_in
from vault.masked import mask

_TAG = regex.compile(
    r"(?:^|(?<=[\s(（「【,;，；、]))#((?:[\p{L}\p{M}\p{N}_/-]"
    r"|\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|[\u200d\ufe0f])+)",
    regex.MULTILINE,
)
_ADDRESS = regex.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s<>\"]{1,2000}|<[^<>\s]{1,2000}>")
_DIGITS_ONLY = regex.compile(r"[\p{N}/_-]+")


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag in the text; `start` to `end` holds its mark too, `name` does not."""

    start: int
    end: int
    name: str

    @property
    def key(self) -> str:
        """What spellings of one tag share."""
        return tag_key(self.name)


def tag_key(name: str) -> str:
    """Return what spellings of one tag share: case does not count."""
    return name.removeprefix("#").strip("/").casefold()


def is_under(key: str, parent: str) -> bool:
    """Whether a tag is the other one or nested in it."""
    return key == parent or key.startswith(f"{parent}/")


def find_tags(text: str) -> tuple[Tag, ...]:
    """Return the tags in the prose of a page, in order."""
    return tags_of(read_layout(text))


def tags_of(layout: Layout) -> tuple[Tag, ...]:
    """Return the tags in the prose of a page whose blocks are known."""
    if "#" not in layout.text:
        return ()
    copy = mask(layout)
    return tags_in(copy, links_in(layout, copy))


def tags_in(copy: str, links: Iterable[Link]) -> tuple[Tag, ...]:
    """The same for a page whose masked copy and links are known."""
    if "#" not in copy:
        return ()
    return tuple(_tags(_without_links(copy, links)))


def _tags(copy: str) -> Iterator[Tag]:
    for found in _TAG.finditer(copy):
        name = found.group(1).rstrip("/-")
        if name and not _DIGITS_ONLY.fullmatch(name):
            yield Tag(found.start(), found.start() + 1 + len(name), name)


def _without_links(copy: str, links: Iterable[Link]) -> str:
    spans = [(link.start, link.end) for link in links]
    if "://" in copy or "<" in copy:
        spans += [found.span() for found in _ADDRESS.finditer(copy)]
    pieces: list[str] = []
    done = 0
    for start, end in sorted(spans):
        first = max(start, done)
        if end > first:
            # Letters, so that a mark right after a link is in the middle of a word.
            pieces += [copy[done:first], "x" * (end - first)]
            done = end
    return "".join([*pieces, copy[done:]])
