"""The Markdown parser for drawing: GitHub flavour, HTML shown as text, `[[wikilinks]]`."""

from __future__ import annotations

from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from tui.markdown.address import wiki_address

WANTED_MARK = "⁺"

IsKnown = Callable[[str], bool]


def make_parser(is_known: IsKnown | None = None) -> MarkdownIt:
    """A parser whose wikilinks become links to `wiki:TARGET`; unknown pages get a mark."""
    # With html on, Textual drops what looks like a tag: `List<int>` would show `List`.
    parser = MarkdownIt("gfm-like", {"html": False})

    def wikilink(state: StateInline, silent: bool) -> bool:
        return _wikilink(state, silent, is_known)

    parser.inline.ruler.before("link", "wikilink", wikilink)
    return parser


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
