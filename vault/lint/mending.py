"""Mends many findings as one change: all of it or nothing, in one commit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vault.errors import ReadOnlyArticle
from vault.files import ArticleFile
from vault.history.commit import CommitResult
from vault.lint.finding import Finding
from vault.lint.lint import Mended, mend
from vault.text import encode

if TYPE_CHECKING:
    from vault.vault import Vault


@dataclass(frozen=True, slots=True)
class MendedPage:
    """A page as it is, and its text as it will be."""

    file: ArticleFile
    text: str


@dataclass(frozen=True, slots=True)
class MendingPlan:
    """What mending comes to; `results` has what is mended, and why a page is left as it is."""

    pages: tuple[MendedPage, ...]
    results: tuple[Mended, ...]

    @property
    def mended(self) -> int:
        """How many findings it does away with."""
        return sum(len(result.findings) for result in self.results)

    @property
    def problems(self) -> tuple[Mended, ...]:
        """The pages that cannot be mended."""
        return tuple(result for result in self.results if result.problem)


def plan_mending(vault: Vault, findings: Iterable[Finding]) -> MendingPlan:
    """Work out the fixes on the pages as they are now; what is no longer so is left out."""
    pages: list[MendedPage] = []

    def keep(path: str, text: str, base: ArticleFile) -> None:
        if base.text is None or base.read_only_reason is not None:
            raise ReadOnlyArticle(f"The page cannot be changed: {base.read_only_reason}.")
        pages.append(MendedPage(base, text))

    results = tuple(mend(vault.index, findings, vault.read, keep, vault.is_ours))
    return MendingPlan(tuple(pages), results)


def carry_out_mending(
    vault: Vault, plan: MendingPlan, subject: str, actor: str = "you"
) -> CommitResult:
    """Do what was planned. Raises PageChanged when a page is another by now."""
    found: dict[str, bytes | None] = {page.file.path: page.file.content for page in plan.pages}
    changes: dict[str, bytes | None] = {
        page.file.path: encode(page.text, has_byte_order_mark=page.file.has_byte_order_mark)
        for page in plan.pages
    }
    return vault.put(found, changes, subject, actor)
