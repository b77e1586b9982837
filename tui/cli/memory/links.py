"""`zib memory links`: where links lead, and from where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tui.cli.memory.opened import page_called, with_vault
from tui.cli.memory.printed import print_json, print_lines
from tui.text.line import to_line
from vault.article.page import parse_article
from vault.links.resolve import Found, Refused, Resolution
from vault.links.scan import find_links
from vault.names import displayable
from vault.vault import Vault

Flags = Mapping[str, object]


def run_links(flags: Flags, name: str, is_back: bool, is_json: bool) -> int:
    """Where a page's links lead, or which pages link to it."""

    def show(vault: Vault) -> int:
        path = page_called(vault, name)
        told = _backlinks(vault, path) if is_back else _outgoing(vault, path)
        if is_json:
            print_json(told)
        else:
            print_lines(_link_line(each) for each in told)
        return 0

    return with_vault(flags, show)


def _backlinks(vault: Vault, path: str) -> list[dict[str, Any]]:
    return [
        {"path": displayable(each.path), "line": each.line, "context": each.context}
        for each in vault.backlinks(path)
    ]


def _outgoing(vault: Vault, path: str) -> list[dict[str, Any]]:
    text = vault.read(path).text or ""
    resolver = vault.resolver(vault.listing())
    lines = parse_article(text).layout.lines
    return [
        {
            "target": link.target,
            "fragment": link.fragment,
            "label": link.label,
            "line": lines.line_of(link.start) + 1,
            **_resolved(resolver.follow(link, path)),
        }
        for link in find_links(text)
    ]


def _resolved(resolution: Resolution) -> dict[str, Any]:
    match resolution:
        case Found(path=path, candidates=candidates, redirect=redirect):
            state = "ambiguous" if len(candidates) > 1 else "found"
            return {"state": state, "path": displayable(path), "redirect": redirect or ""}
        case Refused(reason=reason):
            return {"state": "refused", "path": "", "reason": reason}
        case _:
            return {"state": "wanted", "path": ""}


def _link_line(told: dict[str, Any]) -> str:
    if "context" in told:
        return f"{to_line(told['path'])}:{told['line']}: {to_line(told['context'])}"
    target = told["target"] + (f"#{told['fragment']}" if told["fragment"] else "")
    way = told["path"] if told["state"] == "found" else told["state"]
    return f"{told['line']}: {to_line(target) or '(this page)'} → {to_line(way)}"
