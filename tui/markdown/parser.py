"""The Markdown parser for drawing: GitHub flavour, HTML shown as text, `[[wikilinks]]`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from tui.markdown.address import chat_citation, wiki_address
from tui.markdown.list_parts import part_lists

WANTED_MARK = "⁺"

IsKnown = Callable[[str], bool]


def make_parser(is_known: IsKnown | None = None) -> MarkdownIt:
    """A parser whose wikilinks become links to `wiki:TARGET`; unknown pages get a mark."""
    # With html on, Textual drops what looks like a tag: `List<int>` would show `List`.
    parser = MarkdownIt("gfm-like", {"html": False})

    def wikilink(state: StateInline, silent: bool) -> bool:
        return _wikilink(state, silent, is_known)

    parser.inline.ruler.before("link", "wikilink", wikilink)
    parser.core.ruler.push("citations", _link_citations)
    parser.core.ruler.push("list_parts", part_lists)
    return parser


def _link_citations(state: StateCore) -> None:
    """`conv:HASH` in code leads to what it cites."""
    for token in state.tokens:
        if token.children and any(each.type == "code_inline" for each in token.children):
            token.children = list(_with_links(token.children))


def _with_links(tokens: Sequence[Token]) -> Iterator[Token]:
    depth = 0
    for token in tokens:
        depth += token.nesting if token.type.startswith("link_") else 0
        cited = chat_citation(token.content) if token.type == "code_inline" and not depth else ""
        if cited:
            yield Token("link_open", "a", 1, attrs={"href": cited})
        yield token
        if cited:
            yield Token("link_close", "a", -1)


def _wikilink(state: StateInline, silent: bool, is_known: IsKnown | None) -> bool:
    if not state.src.startswith("[[", state.pos):
        return False
    end = state.src.find("]]", state.pos + 2, state.posMax)
    inner = state.src[state.pos + 2 : end] if end > 0 else ""
    if not inner.strip() or "[" in inner or "\n" in inner:
        return False
    if not silent:
        target, _, label = inner.partition("|")
        target = target.strip().removesuffix("\\")
        opening = state.push("link_open", "a", 1)
        opening.attrs = {"href": wiki_address(target)}
        text = state.push("text", "", 0)
        text.content = (label or target).strip()
        if is_known is not None and not is_known(target):
            text.content += WANTED_MARK
        state.push("link_close", "a", -1)
    state.pos = end + 2
    return True
