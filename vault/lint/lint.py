"""Checks a whole wiki, and mends what can be mended."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from vault.article.splices import Edit, apply_edits
from vault.errors import EditRefused, VaultError
from vault.files import ArticleFile
from vault.graph.graph import is_apparatus
from vault.index.index import Index
from vault.links.known import PageNames
from vault.links.resolve import LinkResolver
from vault.lint.finding import Finding
from vault.lint.page_checks import PageChecks
from vault.lint.wiki_checks import check_wiki
from vault.setup import ARTICLES

Read = Callable[[str], ArticleFile]


@dataclass(frozen=True, slots=True)
class Mended:
    """A page that was mended: how many findings, and why the others could not be."""

    path: str
    mended: int
    problem: str = ""


def lint(index: Index, read: Read, is_ours: bool) -> tuple[Finding, ...]:
    """Return everything that is wrong, by page and line."""
    paths, names = _names(index)
    checks = PageChecks(
        LinkResolver(paths, lambda: names),
        read,
        lambda path: is_ours and path.startswith(f"{ARTICLES}/"),
    )
    found = [*check_wiki(index)]
    for path in paths:
        if not is_apparatus(path) or not is_ours:
            found += checks.check(path)
    return tuple(sorted(found, key=lambda each: (each.path, each.line, each.kind)))


def mend(
    findings: Iterable[Finding], read: Read, save: Callable[[str, str, ArticleFile], object]
) -> Iterator[Mended]:
    """Make the fixes of the findings, a save for each page. The findings must be fresh."""
    by_page: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.fix is not None:
            by_page.setdefault(finding.path, []).append(finding)
    for path, fixable in by_page.items():
        try:
            file = read(path)
            edits, count = _compatible(fixable)
            save(path, apply_edits(file.text or "", edits), file)
        except (VaultError, EditRefused) as error:
            yield Mended(path, 0, str(error))
        else:
            yield Mended(path, count)


def _compatible(findings: list[Finding]) -> tuple[list[Edit], int]:
    """The edits of as many findings as do not touch the same text."""
    edits: list[Edit] = []
    count = 0
    done = -1
    for finding in sorted(findings, key=lambda each: each.fix.edits[0].start if each.fix else 0):
        assert finding.fix is not None  # only those with one were gathered
        if finding.fix.edits[0].start >= done:
            edits += finding.fix.edits
            done = finding.fix.edits[-1].end
            count += 1
    return edits, count


def _names(index: Index) -> tuple[list[str], dict[str, PageNames]]:
    with index.reading() as connection:
        paths: list[Any] = connection.execute(
            "SELECT path FROM page WHERE NOT is_excluded ORDER BY path"
        ).fetchall()
        aliases: dict[str, list[str]] = {}
        rows: Any = connection.execute(
            "SELECT page.path, name.text FROM name JOIN page ON page.id = name.page"
            " WHERE name.kind <> 'file'"
        )
        for path, text in rows:
            aliases.setdefault(path, []).append(text)
    names = {path: PageNames(aliases=tuple(texts)) for path, texts in aliases.items()}
    return [path for (path,) in paths], names
