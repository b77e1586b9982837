"""Block tokens as blocks in a row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from markdown_it.token import Token

from tui.document.blocks import (
    Body,
    CalloutBody,
    FactsBody,
    LiteralBody,
    PictureBody,
    ProseBody,
    RuleBody,
)
from tui.document.callouts import read_opening
from tui.document.containers import (
    Level,
    item_level,
    note_level,
    quote_level,
    task_level,
)
from tui.document.inline import is_external
from tui.document.list_width import number_width
from tui.document.paragraphs import Embed, read_paragraph, read_task
from tui.document.placing import OpenList, Placing
from tui.document.roles import Role
from tui.document.signs import note_sign
from tui.document.tables import code_pieces, read_code, read_table, table_pieces

_COMMENT = re.compile("<!--.*?-->", re.DOTALL)


class Embedder(Protocol):
    """Shows what `![[Page#Section]]` means, in place."""

    def embed(self, builder: Builder, embed: Embed, line: int, gap: int) -> None:
        """Add the blocks."""


@dataclass
class Builder(Placing):
    """Makes the blocks of one page; `facts` are the fields of the infobox by its first line."""

    embedder: Embedder
    facts: dict[int, tuple[tuple[str, str], ...]] = field(default_factory=dict)

    def read(self, tokens: Sequence[Token]) -> None:
        """Add the blocks of all tokens."""
        at = 0
        while at < len(tokens):
            at = self._take(tokens, at)

    def _take(self, tokens: Sequence[Token], at: int) -> int:
        token = tokens[at]
        line = token.map[0] if token.map else 0
        match token.type:
            case "heading_open":
                self.add_heading(token, tokens[at + 1].content, line)
                return at + 3
            case "paragraph_open":
                self._paragraph(tokens[at + 1].content, line, is_tight=token.hidden)
                return at + 3
            case "blockquote_open":
                return self._quote(tokens, at, line)
            case "bullet_list_open" | "ordered_list_open":
                self.lists.append(OpenList(width=number_width(tokens, at)))
            case "list_item_open":
                self._open_item(tokens, at)
            case "list_item_close" | "blockquote_close" | "footnote_close":
                self._close_level(line)
            case "bullet_list_close" | "ordered_list_close":
                self.lists.pop()
            case "footnote_open":
                level = note_level(note_sign(token.info), token.info)
                return self._footnote(tokens, at, level)
            case "table_open":
                return self._table(tokens, at, line)
            case _:
                self._leaf(token, line)
        return at + 1

    def _leaf(self, token: Token, line: int) -> None:
        match token.type:
            case "fence" | "code_block":
                self._code(token, line)
            case "hr":
                self.add(RuleBody(), line)
            case "html_block":
                self._html(token.content, line)
            case _:
                pass

    def _html(self, html: str, line: int) -> None:
        """What is written between comments is prose; other HTML is shown as it is written."""
        bare = _COMMENT.sub("", html).strip("\n")
        if bare.strip() and bare.lstrip().startswith("<"):
            self.add(LiteralBody(html.rstrip("\n"), (Role.QUIET,)), line)
        elif bare.strip():
            self._paragraph(bare, line, is_tight=False)

    def _paragraph(self, source: str, line: int, *, is_tight: bool) -> None:
        gap = self.gap(is_tight)
        task = read_task(source) if self.is_item_start else None
        if task is not None:
            self.add(ProseBody(task[1], task=task[0]), line, gap)
            return
        for piece in read_paragraph(source):
            if isinstance(piece, Embed):
                self.embedder.embed(self, piece, line, gap)
            else:
                self.add(self._with_facts(piece), line, gap)
            gap = 0

    def _with_facts(self, body: Body) -> Body:
        if not isinstance(body, PictureBody) or is_external(body.href):
            return body
        return replace(body, found=self.page.library.picture(body.href, self.page.path))

    def _quote(self, tokens: Sequence[Token], at: int, line: int) -> int:
        is_paragraph = tokens[at + 1].type == "paragraph_open"
        opening = read_opening(tokens[at + 2].content) if is_paragraph else None
        if opening is None:
            self.containers.levels.append(quote_level(Role.QUOTE_BAR))
            return at + 1
        group = self.ids.take() if opening.is_foldable else None
        if group is not None and opening.is_folded:
            self.ids.folded.add(group)
        level = quote_level(opening.role)
        gap = self.gap(is_tight=False)
        self.containers.levels.append(level)
        self.add(CalloutBody(opening.kind, opening.title, opening.role, group), line, gap)
        level.group = group
        if opening.rest.strip():
            self._paragraph(opening.rest, line + 1, is_tight=False)
        return at + 4

    def _open_item(self, tokens: Sequence[Token], at: int) -> None:
        token = tokens[at]
        is_task = tokens[at + 1].type == "paragraph_open" and read_task(tokens[at + 2].content)
        if is_task and not self.lists[-1].width:
            self.containers.levels.append(task_level())
        elif self.lists[-1].width:
            number = f"{token.info}{token.markup}"
            self.containers.levels.append(item_level(number, self.lists[-1].width, 0))
        else:
            self.containers.levels.append(item_level("", 0, len(self.lists)))

    def _close_level(self, line: int) -> None:
        level = self.containers.levels[-1]
        if self.lists and not level.is_used and level.mark != "> ":
            self.add(ProseBody(""), line, self.gap(is_tight=True))
        self.containers.levels.pop()
        if self.lists:
            self.lists[-1].is_first_item = False

    def _footnote(self, tokens: Sequence[Token], at: int, level: Level) -> int:
        token = tokens[at]
        line = token.map[0] if token.map else 0
        gap = self.note_gap()
        self.containers.levels.append(level)
        if at + 1 < len(tokens) and tokens[at + 1].type == "paragraph_open":
            self.add(ProseBody(tokens[at + 2].content, note=token.info), line, gap)
            return at + 4
        self.add(ProseBody("", note=token.info), line, gap)
        return at + 1

    def _table(self, tokens: Sequence[Token], at: int, line: int) -> int:
        end = next(i for i in range(at, len(tokens)) if tokens[i].type == "table_close")
        gap = self.gap(is_tight=False)
        for piece in table_pieces(read_table(tokens[at:end])):
            self.add(piece, line, gap)
            gap = 0
        return end + 1

    def _code(self, token: Token, line: int) -> None:
        facts = self.facts.get(line)
        gap = self.gap(is_tight=False)
        if facts is not None:
            self.add(FactsBody(facts), line, gap)
            return
        words = token.info.split(maxsplit=1)
        code = read_code(words[0] if words else "", token.content)
        for piece in code_pieces(code):
            self.add(piece, line, gap)
            gap = 0
