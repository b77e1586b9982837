"""The Markdown of a page: GitHub's, and what Obsidian adds. Blocks first, inline marks later.

Raw HTML is parsed so that it can be shown as text: nothing here ever makes HTML.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from tui.document.footnote_rule import footnote_rule

MOST_LEVELS = 60
# With more, the parser would take seconds: for each open bracket it reads on to the end.
MOST_INLINE_CHARACTERS = 60_000
MOST_OPEN_BRACKETS = 200

_NOTE_MARK = re.compile(r"\[\^([^\[\]\s^]{1,200})\]")
_WIKILINK = re.compile(r"(!?)\[\[([^\[\]\n]{1,2000})\]\]")
_MATH = re.compile(r"\$\$(?=\S)([^$\n]{1,1000}?)\$\$|\$(?![\s$])([^$\n]{0,1000}?[^\s$\\])\$(?!\d)")
_COMMENT = re.compile(r"%%.*?%%", re.DOTALL)


@functools.cache
def parser() -> MarkdownIt:
    """The parser; it keeps nothing of what it parsed."""
    made = MarkdownIt("gfm-like", {"html": True, "maxNesting": MOST_LEVELS})
    made.inline.ruler.before("link", "wikilink", _wikilink)
    made.inline.ruler.before("wikilink", "note_mark", _note_mark)
    made.inline.ruler.before("escape", "math", _math)
    made.inline.ruler.before("escape", "comment", _comment)
    made.block.ruler.before("reference", "footnote", footnote_rule, {"alt": ["paragraph"]})
    return made


def block_tokens(text: str, definitions: dict[str, Any]) -> list[Token]:
    """The block tokens of a text, its inline tokens without children.

    What link definitions it holds is put into `definitions`.
    """
    tokens: list[Token] = []
    parser().block.parse(text.replace("\0", "\ufffd"), parser(), definitions, tokens)
    return tokens


def inline_tokens(source: str, definitions: dict[str, Any]) -> list[Token]:
    """The marks of a paragraph; none are looked for in one that was made to take long."""
    open_brackets = source.count("[") - source.count("]")
    if len(source) > MOST_INLINE_CHARACTERS or open_brackets > MOST_OPEN_BRACKETS:
        return [Token("text", "", 0, content=source)]
    tokens: list[Token] = []
    parser().inline.parse(source, parser(), definitions, tokens)
    return tokens


def _wikilink(state: StateInline, silent: bool) -> bool:
    found = _WIKILINK.match(state.src, state.pos, state.posMax)
    if found is None or not found[2].strip():
        return False
    if not silent:
        target, _, label = found[2].partition("|")
        token = state.push("embed" if found[1] else "wikilink", "", 0)
        token.content = label.strip()
        token.attrs = {"target": target.strip().removesuffix("\\")}
    state.pos = found.end()
    return True


def _note_mark(state: StateInline, silent: bool) -> bool:
    found = _NOTE_MARK.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.push("note_mark", "", 0).content = found[1]
    state.pos = found.end()
    return True


def _math(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith("$", state.pos):
        return False
    found = _MATH.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.push("math", "", 0).content = (found[1] or found[2]).strip()
    state.pos = found.end()
    return True


def _comment(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith("%%", state.pos):
        return False
    found = _COMMENT.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.push("comment", "", 0).content = found.group()
    state.pos = found.end()
    return True
