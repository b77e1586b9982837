"""One regular expression for many literal texts.

Python tries the alternatives of a pattern one by one, which takes seconds for the thousands of
tokens of some models; a pattern that shares common beginnings takes one step a character.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_Trie = dict[str, "_Trie"]
_END = ""


def compile_literals(literals: Iterable[str]) -> re.Pattern[str]:
    """A pattern for the longest of the literals at each place; of none it matches nowhere."""
    root: _Trie = {}
    for literal in literals:
        node = root
        for letter in literal:
            node = node.setdefault(letter, {})
        node[_END] = {}
    return re.compile(_pattern(root) if root else "(?!)")


def _pattern(node: _Trie) -> str:
    chain = ""
    # A long literal must not become a deep nest.
    while len(node) == 1 and _END not in node:
        letter, node = next(iter(node.items()))
        chain += re.escape(letter)
    branches = [
        re.escape(letter) + _pattern(child) for letter, child in node.items() if letter != _END
    ]
    if not branches:
        return chain
    return f"{chain}(?:{'|'.join(branches)}){'?' if _END in node else ''}"
