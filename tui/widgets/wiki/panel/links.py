"""The links of the open article: to pages, to pages nobody wrote, out of the wiki."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from tui.text.content import literal_line
from tui.widgets.wiki.panel.rows import Filled, FollowLink, Goal, OfferAddress, OpenPage, Row, said
from vault.graph.around import LinkState, Outgoing

_TITLES: dict[LinkState, str] = {
    "found": "Pages",
    "ambiguous": "Ambiguous",
    "wanted": "Not written yet",
    "refused": "Not followed",
    "address": "Out of the wiki",
}
_STYLES: dict[LinkState, str] = {
    "found": "$memory-link",
    "ambiguous": "$memory-link",
    "wanted": "$wanted-link",
    "refused": "$foreground-muted",
    "address": "$external-link",
}


def link_rows(links: Sequence[Outgoing]) -> Filled:
    """By what they are; the same link twice is one line with a count."""
    if not links:
        return said("This page links to nothing.")
    rows: list[Row] = []
    for state, title in _TITLES.items():
        grouped: dict[Goal, list[Outgoing]] = {}
        for link in links:
            if link.state == state:
                grouped.setdefault(_goal(link), []).append(link)
        if grouped:
            heading = Content.assemble(title, f" {len(grouped):,}")
            rows.append(Row(heading.stylize("$pane-title")))
            rows += [_row(same, goal) for goal, same in grouped.items()]
    return Filled(tuple(rows), len(links), 1)


def _goal(link: Outgoing) -> Goal:
    target = link.target if link.fragment is None else f"{link.target}#{link.fragment}"
    if link.state == "address":
        return OfferAddress(link.target)
    if link.leads_to:
        return OpenPage(link.leads_to, anchor=link.fragment or "")
    return FollowLink(target, link.form in {"wikilink", "property"})


def _row(links: list[Outgoing], goal: Goal) -> Row:
    link = links[0]
    name = link.title or (link.target if link.state != "address" else link.label or link.target)
    if link.fragment:
        name = f"{name} › {link.fragment}"
    count = f" ×{len(links)}" if len(links) > 1 else ""
    where = link.leads_to if link.state == "ambiguous" else ""
    if link.state == "address" and link.label not in {"", link.target}:
        where = link.target
    tail = Content.styled(count, "$foreground-muted")
    place = literal_line(f"  {where}") if where else Content("")
    shown = literal_line(name).stylize(_STYLES[link.state])
    return Row(Content.assemble("  ", shown, tail, place.stylize("$foreground-muted")), goal)
