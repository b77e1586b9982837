"""Where completions come from: the names of the wiki's pages, their headings, blocks and tags."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote

from tui.widgets.wiki.editing.completion import Kind, Wish
from tui.widgets.wiki.editing.known_properties import KnownProperties, read_known
from tui.wiki_session import WikiSession
from vault.article.page import parse_article
from vault.article.scalars import write_scalar
from vault.errors import VaultError
from vault.index.groups import read_groups
from vault.links.link import Link, LinkForm
from vault.links.resolve import Found, LinkResolver
from vault.links.spelling import Respelling, respell
from vault.listing import VaultListing
from vault.names import stem_of, title_of
from vault.search.jump import JumpName, jump, jump_name, listed_names
from vault.search.result import NamedPage, Span
from vault.vault import Vault

MOST_SHOWN = 30
_BLOCK = re.compile(r"^(?P<text>.*?)(?:^|[ \t])\^(?P<id>[A-Za-z0-9-]+)[ \t]*\r?$", re.MULTILINE)
_NOT_IN_FRAGMENT = re.compile(r"[|#^\[\]\r\n]|%%")
_MOST_TAGS = 20_000


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One line of the list. `text` is what is put into the article; `spans` are its letters."""

    label: str
    detail: str
    text: str
    spans: tuple[Span, ...] = ()


class Suggester:
    """Answers what could stand at the cursor. Asks the vault in a thread; never raises."""

    def __init__(self, session: WikiSession) -> None:
        self._session = session
        self._is_indexed = False
        self._listing: VaultListing | None = None
        self._resolver: LinkResolver | None = None
        self._tags: tuple[JumpName, ...] = ()
        self._known = KnownProperties()

    async def warm_up(self) -> None:
        """Have the index read, so that aliases and tags are known."""
        try:
            # Before the first link is typed, which is not to wait for it.
            await self._session.ask(self._listed)
            await self._session.ask(lambda vault: vault.index)
            self._is_indexed = True
            self._tags = await self._session.ask(_tag_names)
            self._known = await self._session.ask(
                lambda vault: read_known(vault, self._listed(vault).notes)
            )
        except VaultError:
            self._is_indexed = False

    async def suggest(self, wish: Wish, path: str, text: str) -> tuple[Suggestion, ...]:
        """What fits a wish in the article `path`, whose text is `text` now."""
        try:
            return await self._session.ask(lambda vault: self._suggest(vault, wish, path, text))
        except VaultError:
            return ()

    async def link_to(self, path: str, from_path: str) -> str:
        """A link to a page, as short as leads there. Raises VaultError."""

        def spell(vault: Vault) -> str:
            self._listed(vault)
            spelled = self._spelled(path, from_path, vault.is_ours)
            return f"[[{spelled or path.removesuffix('.md')}]]"

        return await self._session.ask(spell)

    def _suggest(self, vault: Vault, wish: Wish, path: str, text: str) -> tuple[Suggestion, ...]:
        match wish.kind:
            case Kind.PAGE:
                return self._pages(vault, wish.query, path)
            case Kind.TAG:
                found = jump(self._tags, wish.query, MOST_SHOWN)
                return tuple(Suggestion(f"#{tag.path}", "", tag.path, ()) for tag in found)
            case Kind.PROPERTY:
                return _scalars(self._known.names, wish.query)
            case Kind.VALUE:
                values = self._known.values.get(wish.target.casefold(), ())
                return _scalars(values, wish.query, is_in_flow=wish.is_in_flow)
            case Kind.HEADING | Kind.ANCHOR:
                source = self._text_of(vault, wish, path, text)
                return tuple(_headings(source, wish))
            case Kind.BLOCK:
                source = self._text_of(vault, wish, path, text)
                return tuple(_blocks(source, wish.query))

    def _pages(self, vault: Vault, query: str, path: str) -> tuple[Suggestion, ...]:
        listing = self._listed(vault)
        if not query.strip():
            newest = sorted(listing.notes, key=lambda note: -note.modified_ns)[:MOST_SHOWN]
            found = [NamedPage(note.path, note.title, note.title, 0, ()) for note in newest]
        elif self._is_indexed:
            found = list(vault.search.jump(query, MOST_SHOWN))
        else:
            found = list(listed_names(listing.notes).find(query, MOST_SHOWN))
        made = (self._page(page, path, vault.is_ours) for page in found)
        return tuple(each for each in made if each is not None)

    def _page(self, page: NamedPage, path: str, is_ours: bool) -> Suggestion | None:
        spelled = self._spelled(page.path, path, is_ours)
        if spelled is None:
            return None
        stem = title_of(stem_of(page.path)) if is_ours else stem_of(page.path)
        is_alias = page.name.casefold() not in {
            page.title.casefold(),
            title_of(stem).casefold(),
            title_of(page.path[:-3]).casefold(),
        }
        folder = page.path.rpartition("/")[0]
        if is_alias:
            return Suggestion(
                page.name, f"→ {page.title}", f"{spelled}|{page.name}", page.highlights
            )
        return Suggestion(page.name, folder, spelled, page.highlights)

    def _spelled(self, path: str, from_path: str, is_ours: bool) -> str | None:
        """The shortest link that leads to a page, and to no other."""
        name = stem_of(path)
        name = title_of(name) if is_ours else name
        resolver = self._resolver
        if resolver is None:
            return name
        link = Link(0, len(name) + 4, (2, len(name) + 2), name, None, "", False, "wikilink")
        asked = Respelling(f"[[{name}]]", link, from_path, from_path, path, path, is_titled=is_ours)

        def leads_there(target: str) -> bool:
            page, mark, fragment = target.partition("#")
            tried = Link(
                0, 0, (0, 0), page.strip(), fragment if mark else None, "", False, "wikilink"
            )
            found = resolver.resolve(tried, from_path)
            return isinstance(found, Found) and found.path == path and not found.is_ambiguous

        return respell(asked, leads_there)

    def _listed(self, vault: Vault) -> VaultListing:
        listing = self._session.listing or vault.listing()
        if listing is not self._listing:
            self._resolver = LinkResolver(note.path for note in listing.notes)
            self._listing = listing
        return listing

    def _text_of(self, vault: Vault, wish: Wish, path: str, text: str) -> str:
        if not wish.target.strip():
            return text
        self._listed(vault)
        target = unquote(wish.target) if wish.kind is Kind.ANCHOR else wish.target
        form: LinkForm = "markdown" if wish.kind is Kind.ANCHOR else "wikilink"
        link = Link(0, 0, (0, 0), target.strip(), None, "", False, form)
        found = self._resolver.resolve(link, path) if self._resolver else None
        if not isinstance(found, Found):
            found = vault.resolve(link, path)
        if not isinstance(found, Found):
            return ""
        return text if found.path == path else vault.read(found.path).text or ""


def _scalars(
    names: Iterable[str], query: str, *, is_in_flow: bool = False
) -> tuple[Suggestion, ...]:
    """Names or values, the best first; none when only what is typed already is left."""
    known = tuple(jump_name(name, name, name) for name in names)
    found = [each.path for each in jump(known, query, MOST_SHOWN)]
    if found == [query]:
        return ()
    return tuple(Suggestion(name, "", write_scalar(name, is_in_flow=is_in_flow)) for name in found)


def _headings(text: str, wish: Wish) -> Iterable[Suggestion]:
    """Headings of a page in their order when nothing is typed yet, else the best first."""
    headings = parse_article(text).headings
    names = tuple(
        jump_name(str(at), each.title or each.source, "") for at, each in enumerate(headings)
    )
    # The order of `jump` needs unlike paths, which these numbers are.
    wanted = wish.query.rpartition("#")[2].replace("-", " ")
    found = jump(names, wanted, MOST_SHOWN) if wanted.strip() else ()
    spans = {int(each.path): each.highlights for each in found}
    for at in spans if wanted.strip() else range(min(len(headings), MOST_SHOWN)):
        heading = headings[at]
        is_anchor = wish.kind is Kind.ANCHOR
        written = _NOT_IN_FRAGMENT.sub(" ", heading.title)
        written = heading.anchor if is_anchor else " ".join(written.split())
        if written:
            label = f"{'  ' * (heading.level - 1)}{heading.title}"
            yield Suggestion(label, f"#{heading.anchor}" if is_anchor else "", written)


def _blocks(text: str, query: str) -> Iterable[Suggestion]:
    folded = query.casefold()
    for found in _BLOCK.finditer(text):
        if folded in found["id"].casefold() or folded in found["text"].casefold():
            yield Suggestion(f"^{found['id']}", found["text"].strip()[:80], found["id"])


def _tag_names(vault: Vault) -> tuple[JumpName, ...]:
    groups = read_groups(vault.index).tags[:_MOST_TAGS]
    return tuple(jump_name(group.name, group.name, group.name) for group in groups)
