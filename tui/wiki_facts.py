"""What the status line says about the open wiki, and how it is counted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from vault.history.recover import uncommitted
from vault.history.state import Skipped
from vault.vault import Vault
from vault.watch import WatchState


@dataclass(frozen=True, slots=True)
class WikiFacts:
    """The figures of one wiki; None is not counted yet, or cannot be.

    `uncommitted` counts pages that differ from the history.
    """

    root: Path
    is_ours: bool
    notes: int
    links: int | None = None
    uncommitted: int | None = None
    watch: WatchState = "off"


@dataclass(frozen=True, slots=True)
class Counted:
    """What takes a look at every page."""

    links: int
    uncommitted: tuple[str, ...] | None


def count(vault: Vault) -> Counted:
    """Count links and uncommitted pages. Blocks; raises SearchUnavailable."""
    links = vault.index.counts().links
    differing = uncommitted(vault.home)
    return Counted(links, None if isinstance(differing, Skipped) else differing)
