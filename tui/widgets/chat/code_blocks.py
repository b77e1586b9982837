"""The blocks of code in an answer."""

from __future__ import annotations

from tui.markdown.parser import make_parser


def code_blocks(text: str) -> tuple[str, ...]:
    """What stands in its fences and indented blocks, without the marks around it."""
    tokens = make_parser(None).parse(text)
    return tuple(each.content for each in tokens if each.type in {"fence", "code_block"})
