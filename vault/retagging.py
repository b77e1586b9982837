"""Gives a tag another name wherever pages carry it: first a plan to look at, then one commit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vault.article.front_matter import FrontMatter
from vault.article.front_matter_edits import set_property
from vault.article.page import Article, parse_article
from vault.article.properties import Property, Style
from vault.article.splices import Edit, apply_edits
from vault.errors import NotAllowed, VaultError
from vault.files import ArticleFile
from vault.history.commit import CommitResult
from vault.links.scan import links_in
from vault.links.tags import find_tags, is_under, tag_key, tags_in
from vault.moving.change import SkippedPage
from vault.text import encode

if TYPE_CHECKING:
    from vault.vault import Vault

_PROPERTIES = ("tags", "tag")
_NAME = re.compile(r"[^,]+")


@dataclass(frozen=True, slots=True)
class RetaggedPage:
    """A page that carries the tag, and what it says then; `places` counts where it is written."""

    file: ArticleFile
    text: str
    places: int


@dataclass(frozen=True, slots=True)
class TagPlan:
    """Everything a new name changes. `is_merge` says that some page has the new tag already."""

    old: str
    new: str
    pages: tuple[RetaggedPage, ...]
    skipped: tuple[SkippedPage, ...]
    is_merge: bool

    @property
    def places(self) -> int:
        """How often the tag is written."""
        return sum(page.places for page in self.pages)


def plan_tag_rename(vault: Vault, old: str, new: str) -> TagPlan:
    """Plan it; tags nested in the old one go along. Raises NotAllowed, SearchUnavailable."""
    old, new = old.strip().removeprefix("#").strip("/"), new.strip().removeprefix("#")
    if [tag.name for tag in find_tags(f"#{new}")] != [new]:
        raise NotAllowed(f"“{new}” cannot be a tag: letters, digits, - _ and / can be in one.")
    if old == new:
        raise NotAllowed("The tag is called that already.")
    paths = _tagged(vault, old)
    if not paths:
        raise NotAllowed(f"No page has the tag #{old}.")
    pages: list[RetaggedPage] = []
    skipped: list[SkippedPage] = []
    for path in paths:
        try:
            file = vault.read(path)
            if file.real_path != path and file.real_path in paths:
                continue
            pages += _retagged(file, old, new)
        except VaultError as error:
            skipped.append(SkippedPage(path, str(error).rstrip(".")))
    is_merge = tag_key(old) != tag_key(new) and bool(_tagged(vault, new))
    return TagPlan(old, new, tuple(pages), tuple(skipped), is_merge)


def carry_out_tag_rename(vault: Vault, plan: TagPlan, actor: str = "you") -> CommitResult:
    """Do what was planned, all or nothing. Raises PageChanged when a page is another by now."""
    found: dict[str, bytes | None] = {page.file.path: page.file.content for page in plan.pages}
    changes: dict[str, bytes | None] = {
        page.file.path: encode(page.text, has_byte_order_mark=page.file.has_byte_order_mark)
        for page in plan.pages
    }
    return vault.put(found, changes, f"Rename tag #{plan.old} to #{plan.new}", actor)


def _tagged(vault: Vault, name: str) -> tuple[str, ...]:
    key = tag_key(name)
    with vault.index.reading() as connection:
        rows: Any = connection.execute(
            "SELECT DISTINCT page.path FROM tag JOIN page ON page.id = tag.page"
            " WHERE tag.key = ? OR tag.key BETWEEN ? AND ? ORDER BY page.path",
            (key, f"{key}/", f"{key}0"),
        ).fetchall()
    return tuple(str(path) for (path,) in rows)


def _retagged(file: ArticleFile, old: str, new: str) -> Iterator[RetaggedPage]:
    if file.text is None or file.read_only_reason is not None:
        raise NotAllowed(file.read_only_reason or "it is not text")
    article = parse_article(file.text)
    key = tag_key(old)
    parts = old.count("/") + 1
    edits = [
        Edit(tag.start + 1, tag.end, _renamed(tag.name, parts, new))
        for tag in tags_in(article.prose, links_in(article.layout, article.prose))
        if is_under(tag.key, key)
    ]
    places = len(edits)
    front = article.front_matter
    if front is not None:
        for name in _PROPERTIES:
            changed, count = _property_edits(article, front, name, old, new)
            edits += changed
            places += count
    if edits:
        text = apply_edits(file.text, edits)
        if any(is_under(each, key) and not is_under(each, tag_key(new)) for each in _keys(text)):
            raise NotAllowed("the tag would still be read there")
        yield RetaggedPage(file, text, places)


def _keys(text: str) -> Iterator[str]:
    """The tags of a page, as they are compared."""
    front = parse_article(text).front_matter
    yield from (tag_key(name) for name in (front.names(*_PROPERTIES) if front else ()))
    yield from (tag.key for tag in find_tags(text))


def _property_edits(
    article: Article, front: FrontMatter, name: str, old: str, new: str
) -> tuple[tuple[Edit, ...], int]:
    """The edits of one property, and how many names in it they change."""
    found = front.find(name)
    if found is None:
        return (), 0
    key = tag_key(old)
    count = sum(is_under(tag_key(each.strip()), key) for each in _names_in(found))
    if not count:
        return (), 0
    parts = old.count("/") + 1

    def renamed(written: str) -> str:
        bare = written.strip()
        if not is_under(tag_key(bare), key):
            return written
        mark = "#" if bare.startswith("#") else ""
        return written.replace(bare, mark + _renamed(bare.removeprefix("#"), parts, new))

    if found.style is Style.SCALAR:
        text = found.values[0].text
        is_line = not found.values[0].quote
        value = _NAME.sub(lambda each: renamed(each[0]), text) if is_line else renamed(text)
        return set_property(article, found.key, value), count
    kept = {tag_key(each): each for each in reversed([renamed(text) for text in found.texts])}
    return set_property(article, found.key, tuple(reversed(kept.values()))), count


def _names_in(found: Property) -> tuple[str, ...]:
    if found.style is Style.SCALAR and found.values and not found.values[0].quote:
        return tuple(found.values[0].text.split(","))
    return found.texts


def _renamed(name: str, parts: int, new: str) -> str:
    """The same tag with its first parts named anew; what is nested in it stays."""
    return "/".join((new, *name.lstrip("/").split("/")[parts:]))
