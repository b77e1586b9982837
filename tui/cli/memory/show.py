"""`zib memory status|list|read|toc|section`: look at the wiki."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tui.cli.memory.opened import page_called, with_vault
from tui.cli.memory.printed import print_json, print_lines, print_text
from tui.text.line import to_line
from vault.article.page import Article, parse_article
from vault.article.sections import Section
from vault.errors import VaultError
from vault.history.recover import uncommitted
from vault.names import displayable
from vault.vault import Vault

Flags = Mapping[str, object]


def run_status(flags: Flags, is_json: bool) -> int:
    """Where the wiki is, what is in it and how its history stands."""

    def show(vault: Vault) -> int:
        listing = vault.listing()
        changed = uncommitted(vault.home)
        facts: dict[str, Any] = {
            "root": displayable(str(vault.root)),
            "kind": "ours" if vault.is_ours else "adopted" if vault.is_writable else "foreign",
            "pages": len(listing.notes),
            "bytes": sum(note.size for note in listing.notes),
            "excluded": sum(note.is_excluded for note in listing.notes),
            "uncommitted": list(changed) if isinstance(changed, tuple) else None,
            "history_dir": displayable(str(vault.home.git_dir or vault.root / ".git")),
            "history": "" if isinstance(changed, tuple) else changed.message,
            "problems": [
                *vault.conventions.problems,
                *(f"{displayable(each.path)}: {each.reason}" for each in listing.problems),
            ],
        }
        if is_json:
            print_json(facts)
        else:
            print_lines(_status_lines(vault.root, facts))
        return 0

    return with_vault(flags, show)


def run_list(flags: Flags, folder: str, is_json: bool) -> int:
    """Every page, or those of a folder."""

    def show(vault: Vault) -> int:
        prefix = f"{folder.strip('/')}/" if folder.strip("/") else ""
        notes = [note for note in vault.listing().notes if note.path.startswith(prefix)]
        if is_json:
            print_json(
                [
                    {
                        "path": displayable(note.path),
                        "title": note.title,
                        "bytes": note.size,
                        "modified": note.modified_ns / 1e9,
                    }
                    for note in notes
                ]
            )
        else:
            print_lines(to_line(displayable(note.path)) for note in notes)
        return 0

    return with_vault(flags, show)


def run_read(flags: Flags, name: str, is_json: bool) -> int:
    """A page as it is: to a pipe its very bytes, to a terminal harmless text."""

    def show(vault: Vault) -> int:
        path = page_called(vault, name)
        file = vault.read(path)
        if file.text is None:
            raise VaultError(f"“{path}” cannot be shown: {file.read_only_reason}.")
        if is_json:
            print_json(
                {
                    "path": displayable(path),
                    "text": file.text,
                    "sha256": file.sha256,
                    "read_only": file.read_only_reason or "",
                }
            )
        else:
            print_text(file.text, file.content)
        return 0

    return with_vault(flags, show)


def run_toc(flags: Flags, name: str, is_json: bool) -> int:
    """The headings of a page."""

    def show(vault: Vault) -> int:
        article = _article(vault, page_called(vault, name))
        if is_json:
            print_json([_told(article, section) for section in article.sections])
        else:
            print_lines(
                f"{'  ' * (section.level - 1)}{to_line(section.title)}"
                for section in article.sections
                if section.heading is not None
            )
        return 0

    return with_vault(flags, show)


def run_section(flags: Flags, name: str, heading: str, is_json: bool) -> int:
    """One section with what is below it."""

    def show(vault: Vault) -> int:
        path = page_called(vault, name)
        article = _article(vault, path)
        section = article.section(heading)
        if section is None:
            titles = ", ".join(f"“{each.title}”" for each in article.sections if each.title)
            raise VaultError(f"“{path}” has no section “{heading}”. It has: {titles or 'none'}.")
        text = article.text[section.start : section.tree_end]
        if is_json:
            print_json({**_told(article, section), "path": displayable(path), "text": text})
        else:
            print_text(text, text.encode("utf-8", "surrogatepass"))
        return 0

    return with_vault(flags, show)


def _status_lines(root: Path, facts: dict[str, Any]) -> Iterable[str]:
    kinds = {
        "ours": "made by zib",
        "adopted": "a folder of yours that zib may change",
        "foreign": "a folder of yours; zib only reads it (allow changes: zib memory init)",
    }
    yield to_line(str(root))
    yield f"{kinds[facts['kind']]} · {facts['pages']:,} pages · {facts['bytes'] / 1024:,.0f} KiB"
    if facts["excluded"]:
        yield f"{facts['excluded']:,} pages are left out of searches"
    changed = facts["uncommitted"]
    if changed is None:
        yield to_line(facts["history"])
    elif changed:
        yield f"{len(changed):,} changes are in no commit yet"
    else:
        yield "the history is complete"
    if changed is not None and Path(facts["history_dir"]).parent != root:
        yield to_line(f"the history is in {facts['history_dir']}")
    yield from (f"problem: {to_line(problem)}" for problem in facts["problems"])


def _told(article: Article, section: Section) -> dict[str, Any]:
    return {
        "title": section.title,
        "level": section.level,
        "anchor": section.heading.anchor if section.heading else "",
        "heading_path": list(section.path),
        "line": article.layout.lines.line_of(section.start) + 1,
        "characters": section.tree_end - section.start,
    }


def _article(vault: Vault, path: str) -> Article:
    file = vault.read(path)
    if file.text is None:
        raise VaultError(f"“{path}” cannot be shown: {file.read_only_reason}.")
    return parse_article(file.text)
