"""The lines of a page's front matter and infobox, and edits of one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vault.article.front_matter_edits import Value, remove_property, set_property
from vault.article.opening_edits import remove_infobox_field, set_infobox_field
from vault.article.page import Article, parse_article
from vault.article.properties import Style
from vault.article.splices import Edits, apply_edits

Place = Literal["properties", "infobox"]


@dataclass(frozen=True, slots=True)
class PropertyRow:
    """One property; a list shows its items with commas between them."""

    place: Place
    key: str
    value: str
    is_list: bool = False


def rows_of(text: str) -> tuple[PropertyRow, ...]:
    """Every property in the order of the page."""
    article = parse_article(text)
    front = article.front_matter
    rows = []
    for each in front.properties if front else ():
        is_list = each.style in {Style.FLOW_LIST, Style.BLOCK_LIST}
        rows.append(PropertyRow("properties", each.key, ", ".join(each.texts), is_list))
    box = article.infobox
    rows += [PropertyRow("infobox", each.key, each.value) for each in (box.fields if box else ())]
    return tuple(rows)


def problem_of(text: str) -> str:
    """Why the properties can only be edited as text; empty when they can be edited by line."""
    front = parse_article(text).front_matter
    return front.problem or "" if front else ""


def with_value(text: str, row: PropertyRow, value: str) -> str:
    """The text with another value in one line. Raises EditRefused."""
    article = parse_article(text)
    match row.place:
        case "properties":
            return _applied(article, set_property(article, row.key, _value(row, value)))
        case "infobox":
            return _applied(article, set_infobox_field(article, row.key, value))


def without(text: str, row: PropertyRow) -> str:
    """The text without one line. Raises EditRefused."""
    article = parse_article(text)
    match row.place:
        case "properties":
            return _applied(article, remove_property(article, row.key))
        case "infobox":
            return _applied(article, remove_infobox_field(article, row.key))


def _applied(article: Article, edits: Edits) -> str:
    return apply_edits(article.text, edits)


def _value(row: PropertyRow, value: str) -> Value:
    if not row.is_list:
        return value
    return tuple(item.strip() for item in value.split(",") if item.strip())
