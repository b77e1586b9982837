"""Fills a tab: asks the wiki, off the event loop, and makes rows of the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from tui.widgets.wiki.panel.backlinks import backlink_rows
from tui.widgets.wiki.panel.contents import contents_rows, read_headings
from tui.widgets.wiki.panel.graph import graph_rows, read_around
from tui.widgets.wiki.panel.links import link_rows
from tui.widgets.wiki.panel.mentions import mention_rows
from tui.widgets.wiki.panel.rows import Filled
from tui.widgets.wiki.panel.tabs import PanelTab
from vault.files import ArticleFile
from vault.graph.around import incoming, outgoing
from vault.graph.mentions import unlinked_mentions
from vault.names import displayable, stem_of, title_of
from vault.vault import Vault


@dataclass(frozen=True, slots=True)
class Asked:
    """What a tab is to show: of which article, and for the graph around which page, how far."""

    tab: PanelTab
    file: ArticleFile
    here: str = ""
    centre: str = ""
    depth: int = 1


def fill(vault: Vault, asked: Asked) -> Filled:
    """Blocks. Raises VaultError."""
    path, text = asked.file.path, asked.file.text or ""
    match asked.tab:
        case "contents":
            filled = contents_rows(read_headings(text), asked.here)
        case "backlinks":
            filled = backlink_rows(incoming(vault.index, vault.read, path))
        case "links":
            filled = link_rows(outgoing(vault.index, text, path))
        case "mentions":
            filled = mention_rows(unlinked_mentions(vault.index, vault.read, path))
        case "graph":
            centre = asked.centre or path
            title = title_of(stem_of(displayable(centre)))
            filled = graph_rows(read_around(vault.index, centre, title, asked.depth))
        case _:
            assert_never(asked.tab)
    return filled
