"""Pages that begin as a copy of another one, with title, date and time filled in."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from vault.article.page import parse_article
from vault.errors import ArticleMissing, NotAllowed
from vault.moment import format_moment
from vault.names import check_note_path, displayable, identity_key, stem_of

if TYPE_CHECKING:
    from vault.vault import Vault

OUR_TEMPLATES = "Meta/Templates"
_FIELD = re.compile(r"\{\{\s*(title|date|time)\s*(?::([^{}\r\n]{1,200}))?\}\}", re.IGNORECASE)
_MOST_NAMED = 20


def templates_folder(vault: Vault) -> str | None:
    """Where templates are: `Meta/Templates` in a wiki of ours, else where Obsidian has them."""
    return OUR_TEMPLATES if vault.is_ours else vault.conventions.templates_folder


def template_names(vault: Vault) -> tuple[str, ...]:
    """The templates there are, by their paths within the folder and without `.md`."""
    folder = templates_folder(vault)
    if folder is None:
        return ()
    prefix = f"{folder}/"
    notes = (note.path for note in vault.listing().notes)
    return tuple(path[len(prefix) : -3] for path in notes if path.startswith(prefix))


def page_from_template(vault: Vault, name: str, title: str, now: datetime) -> str:
    """The text of a new page. Raises ArticleMissing for a template that is not there."""
    folder = templates_folder(vault)
    if folder is None:
        raise ArticleMissing(
            "This folder has no templates: choose their folder in Obsidian's settings."
        )
    wanted = identity_key(name.strip().removesuffix(".md"))
    names = template_names(vault)
    found = next((each for each in names if identity_key(each) == wanted), None)
    if found is None:
        there = ", ".join(names[:_MOST_NAMED]) or "none"
        raise ArticleMissing(
            f"There is no template “{displayable(name)}” in {folder}. There is: {there}."
        )
    return filled(vault, f"{folder}/{found}.md", title, now)


def filled(vault: Vault, path: str, title: str, now: datetime) -> str:
    """A template's text with its fields filled in; a page of ours gets its heading."""
    text = vault.read(check_note_path(path)).text
    if text is None:
        raise NotAllowed(f"The template “{stem_of(displayable(path))}” is not text.")
    conventions = vault.conventions
    formats = {"date": conventions.template_date_format, "time": conventions.template_time_format}

    def value(field: re.Match[str]) -> str:
        kind = field.group(1).lower()
        if kind == "title":
            return title
        return format_moment(now, field.group(2) or formats[kind])

    new = _FIELD.sub(value, text)
    return _with_heading(new, title) if vault.is_ours else new


def _with_heading(text: str, title: str) -> str:
    article = parse_article(text)
    if article.heading is not None:
        return text
    start = article.front_matter.end if article.front_matter else 0
    return f"{text[:start]}# {title}\n\n{text[start:]}"
