"""The palette's providers, imported when it is first opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.command import Provider


def commands() -> type[Provider]:
    """Everything the program can do."""
    from tui.palette.commands import CommandsProvider

    return CommandsProvider


def articles() -> type[Provider]:
    """The pages of the wiki, by their names."""
    from tui.palette.articles import ArticlesProvider

    return ArticlesProvider


def headings() -> type[Provider]:
    """The headings of the open article."""
    from tui.palette.headings import HeadingsProvider

    return HeadingsProvider
