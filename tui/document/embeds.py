"""Pages shown inside others: a few deep, never in a circle, never without end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tui.document.blocks import EmbedBody, PictureBody
from tui.document.build import Builder
from tui.document.containers import Containers, GroupIds, quote_level
from tui.document.page import FoundPage, Page
from tui.document.paragraphs import Embed, read_picture_label
from tui.document.reading import clean_text, fill, infobox_facts
from tui.document.roles import Role
from tui.markdown.address import wiki_address
from vault.article.page import Article, parse_article

DEEPEST = 3
MOST_EMBEDS = 60
MOST_CHARACTERS = 200_000
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".svg", ".avif", ".heic")


@dataclass(slots=True)
class _Spent:
    embeds: int = 0
    characters: int = 0


@dataclass(frozen=True, slots=True)
class EmbedReader:
    """Reads embeds; `above` are the paths of the pages around, the outermost one first."""

    above: tuple[str, ...]
    ids: GroupIds
    spent: _Spent = field(default_factory=_Spent)

    def embed(self, builder: Builder, embed: Embed, line: int, gap: int) -> None:
        """Add what an embed shows: a picture, or a page's head and its blocks."""
        library, path = builder.page.library, builder.page.path
        if embed.target.partition("#")[0].casefold().endswith(_PICTURES):
            label, width = read_picture_label(embed.label)
            found = library.picture(embed.target, path)
            builder.add(PictureBody(embed.target, label or embed.target, width, found), line, gap)
            return
        page = None if self._is_spent else library.page(embed.target, path)
        problem = self._problem(page)
        name, _, fragment = embed.target.partition("#")
        title = embed.label or " › ".join(part for part in (name, *fragment.split("#")) if part)
        level = quote_level(Role.RULE)
        builder.containers.levels.append(level)
        builder.add(EmbedBody(wiki_address(embed.target), title, problem), line, gap)
        if page is not None and not problem:
            self._read(builder, page, fragment)
        builder.containers.levels.pop()

    @property
    def _is_spent(self) -> bool:
        return self.spent.embeds >= MOST_EMBEDS or self.spent.characters >= MOST_CHARACTERS

    def _problem(self, found: FoundPage | None) -> str:
        if self._is_spent:
            return "not shown: this page embeds too much"
        if found is None:
            return "there is no such page to show"
        if found.path in self.above:
            return "not shown again inside itself"
        return "not shown: embedded too deep" if len(self.above) > DEEPEST else ""

    def _read(self, outer: Builder, found: FoundPage, fragment: str) -> None:
        article = parse_article(clean_text(found.text))
        first, end = _lines(article, fragment)
        lines = article.layout.lines
        body = article.text[lines.start(first) : lines.start(end)]
        self.spent.embeds += 1
        self.spent.characters += len(body)
        reader = EmbedReader((*self.above, found.path), self.ids, self.spent)
        inner = Builder(
            embedder=reader,
            page=Page(found.path, outer.page.library),
            ids=self.ids,
            first_line=first,
            facts={line - first: facts for line, facts in infobox_facts(article).items()},
            containers=Containers(list(outer.containers.levels)),
            outer_groups=outer.groups,
        )
        fill(inner, body)
        outer.blocks += inner.blocks


def _lines(article: Article, fragment: str) -> tuple[int, int]:
    """The lines of a page that a fragment names; all but the properties without one."""
    lines, count = article.layout.lines, article.layout.lines.count
    if fragment.startswith("^"):
        named = _block_lines(article, fragment)
        return named or (article.layout.front_lines, count)
    section = article.section(fragment) if fragment else None
    if section is None:
        return article.layout.front_lines, count
    end = lines.line_of(section.tree_end) if section.tree_end < len(article.text) else count
    return lines.line_of(section.start), end


def _block_lines(article: Article, fragment: str) -> tuple[int, int] | None:
    blocks: Iterable[tuple[int, int]] = ((each.first, each.end) for each in article.layout.blocks)
    lines = article.layout.lines
    for first, end in sorted(blocks, key=lambda each: each[1] - each[0]):
        text = article.text[lines.start(first) : lines.end(end - 1)]
        if text.rstrip().endswith(f" {fragment}"):
            return first, end
    return None
