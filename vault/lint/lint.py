"""Checks a whole wiki, and mends what can be mended."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from vault.article.splices import Edit, apply_edits
from vault.errors import VaultError
from vault.files import ArticleFile
from vault.graph.graph import is_apparatus
from vault.index.index import Index
from vault.index.names import known_names
from vault.links.resolve import LinkResolver
from vault.lint.finding import Finding
from vault.lint.page_checks import PageChecks
from vault.lint.wiki_checks import check_wiki
from vault.setup import ARTICLES

Read = Callable[[str], ArticleFile]
Save = Callable[[str, str, ArticleFile], object]


@dataclass(frozen=True, slots=True)
class Mended:
    """A page that was mended: of which findings, or why it could not be."""

    path: str
    findings: tuple[Finding, ...]
    problem: str = ""


def lint(
    index: Index,
    read: Read,
    is_ours: bool,
    on_progress: Callable[[int, int], object] | None = None,
) -> tuple[Finding, ...]:
    """Return everything that is wrong, by page and line.

    `on_progress` is told how many pages are checked, and of how many.
    """
    checks = PageChecks(_resolver(index), read, _grammar(is_ours))
    found = [*check_wiki(index)]
    paths = known_names(index, with_excluded=False)
    for done, path in enumerate(paths):
        if on_progress is not None:
            on_progress(done, len(paths))
        if not is_apparatus(path) or not is_ours:
            found += checks.check(path)
    return tuple(sorted(found, key=lambda each: (each.path, each.line, each.kind)))


def mend(
    index: Index, findings: Iterable[Finding], read: Read, save: Save, is_ours: bool
) -> Iterator[Mended]:
    """Make the fixes of the findings, a save for each page; what is no longer so is left out."""
    by_page: dict[str, set[tuple[str, str]]] = {}
    for finding in findings:
        if finding.fix is not None:
            by_page.setdefault(finding.path, set()).add((finding.kind, finding.message))
    resolver = _resolver(index)
    for path, wanted in by_page.items():
        try:
            base = read(path)
            checks = PageChecks(resolver, _reader(base, read), _grammar(is_ours))
            found = [each for each in checks.check(path) if (each.kind, each.message) in wanted]
            edits, mended = _compatible(each for each in found if each.fix is not None)
            if edits:
                save(path, apply_edits(base.text or "", edits), base)
        except VaultError as error:
            yield Mended(path, (), str(error))
        else:
            yield Mended(path, tuple(mended))


def _reader(base: ArticleFile, read: Read) -> Read:
    """Reads pages, but one as it was: the places found are those of the text that is saved."""
    return lambda path: base if path == base.path else read(path)


def _compatible(findings: Iterable[Finding]) -> tuple[list[Edit], list[Finding]]:
    """The edits of as many findings as do not touch the same text."""
    edits: list[Edit] = []
    mended: list[Finding] = []
    done = -1
    for finding in sorted(findings, key=lambda each: each.fix.edits[0].start if each.fix else 0):
        assert finding.fix is not None  # only those with one were gathered
        if finding.fix.edits[0].start >= done:
            edits += finding.fix.edits
            done = finding.fix.edits[-1].end
            mended.append(finding)
    return edits, mended


def _resolver(index: Index) -> LinkResolver:
    names = known_names(index, with_excluded=True)
    return LinkResolver(names, lambda: names)


def _grammar(is_ours: bool) -> Callable[[str], bool]:
    return lambda path: is_ours and path.startswith(f"{ARTICLES}/")
