"""The page of a day, and notes added to its end: a line each, with the time before it."""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from vault.article.blocks import read_layout
from vault.article.fences import open_fence
from vault.errors import ArticleMissing, NotAllowed, PageChanged, ReadOnlyArticle
from vault.history.commit import CommitResult
from vault.moment import format_moment
from vault.names import check_note_path, displayable, stem_of
from vault.setup import ARTICLES
from vault.templates import OUR_TEMPLATES, filled
from vault.text import encode, with_plain_breaks

if TYPE_CHECKING:
    from vault.files import ArticleFile
    from vault.vault import Vault

_OUR_TEMPLATE = f"{OUR_TEMPLATES}/Daily.md"
_MOST_TRIES = 20
_IN_LIST = re.compile(r"[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]|  ")


@dataclass(frozen=True, slots=True)
class Noted:
    """The page a note went to, the lines it became, and what became of its commit."""

    path: str
    line: str
    commit: CommitResult


def daily_path(vault: Vault, now: datetime) -> str:
    """The page of the day it is in `now`'s zone: Obsidian's, else `articles/2026-01-31.md`."""
    conventions = vault.conventions
    folder = ARTICLES if vault.is_ours else conventions.daily_folder
    name = format_moment(now, conventions.daily_format).strip("/ ")
    return check_note_path(f"{folder}/{name}.md" if folder else f"{name}.md")


def open_day(vault: Vault, now: datetime, actor: str = "you") -> str:
    """The path of the page of the day, made from its template when it is not there."""
    path = daily_path(vault, now)
    if _find(vault, path) is None:
        start = encode(_new_page(vault, path, now), has_byte_order_mark=False)
        subject = f"Begin {stem_of(displayable(path))}"
        # Another program may have been faster: then its page is the page.
        with contextlib.suppress(PageChanged):
            vault.put({path: None}, {path: start}, subject, actor)
    return path


def add_note(vault: Vault, text: str, now: datetime, actor: str = "you") -> Noted:
    """Add a note to the page of the day, making the page from its template; one commit.

    Two notes at the same time both arrive. Raises NotAllowed for a note without text.
    """
    line = _note_line(text, now)
    path = daily_path(vault, now)
    subject = f"Note in {stem_of(displayable(path))}"
    for _ in range(_MOST_TRIES):
        file = _read(vault, path)
        if file is None:
            start = _new_page(vault, path, now)
            old, new = None, encode(start + _addition(start, line), has_byte_order_mark=False)
        else:
            old, text = file.content, file.text or ""
            new = old + encode(_addition(text, line), has_byte_order_mark=False)
        try:
            commit = vault.put({path: old}, {path: new}, subject, actor)
        except PageChanged:
            continue
        return Noted(path, line, commit)
    raise PageChanged(f"“{stem_of(displayable(path))}” changes all the time; try again.")


def _find(vault: Vault, path: str) -> ArticleFile | None:
    try:
        return vault.read(path)
    except ArticleMissing:
        return None


def _read(vault: Vault, path: str) -> ArticleFile | None:
    file = _find(vault, path)
    if file is None:
        return None
    if file.text is None or file.read_only_reason is not None:
        raise ReadOnlyArticle(f"“{displayable(path)}” takes no note: {file.read_only_reason}.")
    return file


def _new_page(vault: Vault, path: str, now: datetime) -> str:
    title = stem_of(path)
    template = _OUR_TEMPLATE if vault.is_ours else vault.conventions.daily_template
    if template is not None:
        template = template if template.casefold().endswith(".md") else f"{template}.md"
        try:
            return filled(vault, template, title, now)
        except ArticleMissing:
            pass
    return f"# {title}\n\n" if vault.is_ours else ""


def _note_line(text: str, now: datetime) -> str:
    """A list item; further lines of the note belong to it."""
    clean = with_plain_breaks(os.fsencode(text).decode("utf-8", "replace")).replace("\0", "")
    lines = [line.rstrip() for line in clean.strip().split("\n")]
    if not any(lines):
        raise NotAllowed("There is nothing to note: give a text, or - to read one.")
    first, *others = lines
    return "\n".join([f"- {now:%H:%M} {first}", *(f"  {line}" if line else "" for line in others)])


def _addition(text: str, line: str) -> str:
    """What to add to a page for the line to be read as an item of a list; the page stays as is."""
    line_break = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    parts = [] if not text or text.endswith(("\n", "\r")) else [line_break]
    fence = open_fence(read_layout(text))
    if fence is not None:
        parts.append(fence.marks + line_break)
    filled = text.rstrip()
    last = filled[max(filled.rfind("\n"), filled.rfind("\r")) + 1 :]
    is_listed = fence is None and _IN_LIST.match(last) is not None
    has_blank_line = len(text[len(filled) :].splitlines()) > 1
    if filled and not is_listed and (fence is not None or not has_blank_line):
        parts.append(line_break)
    return "".join([*parts, line.replace("\n", line_break), line_break])
