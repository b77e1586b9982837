"""The block rule for footnotes: `[^id]: text`, with what is indented below it."""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

_OPENING = re.compile(r"\[\^(?P<id>[^\[\]\s^]{1,200})\]:[ \t]*")
_INDENT = 4


def footnote_rule(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """Take a footnote as a container of blocks, as a list item is one."""
    if state.is_code_block(first):
        return False
    start = state.bMarks[first] + state.tShift[first]
    found = _OPENING.match(state.src, start, state.eMarks[first])
    if found is None:
        return False
    if silent:
        return True
    opening = _token(state, "footnote_open", 1)
    opening.info = found["id"]
    opening.map = [first, first + 1]
    state.level += 1
    _read_inner(state, first, end, found.end())
    state.level -= 1
    _token(state, "footnote_close", -1)
    opening.map = [first, state.line]
    return True


def _token(state: StateBlock, name: str, nesting: int) -> Token:
    token = Token(name, "", -1 if nesting < 0 else 1)
    token.block = True
    token.level = state.level
    state.tokens.append(token)
    return token


def _read_inner(state: StateBlock, first: int, end: int, text_start: int) -> None:
    kept = state.bMarks[first], state.tShift[first], state.sCount[first], state.parentType
    state.bMarks[first] = text_start
    state.tShift[first] = 0
    state.sCount[first] = state.blkIndent + _INDENT
    state.blkIndent += _INDENT
    state.parentType = "footnote"
    state.md.block.tokenize(state, first, end)
    state.blkIndent -= _INDENT
    state.bMarks[first], state.tShift[first], state.sCount[first], state.parentType = kept
