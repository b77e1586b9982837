"""One call of a tool, with what it needs to answer."""

from dataclasses import dataclass

from vault.setup import REFERENCE
from vault.tools.arguments import Arguments
from vault.tools.budget import Budget
from vault.tools.known_page import KnownPage
from vault.tools.pages import Pages
from vault.tools.wording import Wording
from vault.vault import Vault


@dataclass(frozen=True, slots=True)
class Asked:
    """The wiki, its pages at this moment, and the arguments."""

    vault: Vault
    pages: Pages
    wording: Wording
    arguments: Arguments
    budget: Budget
    scope: str = ""

    @property
    def page(self) -> KnownPage:
        """The page that was asked for. Raises ToolRefused."""
        return self.pages.called(self.arguments.needed("page"), self.wording)

    @property
    def room(self) -> int:
        """The bytes a result may have; a forced one may have all that are left."""
        return self.budget.left if self.arguments.is_forced else self.budget.room

    def is_reference(self, path: str) -> bool:
        """Whether a page is one of the program's own help pages."""
        return self.vault.is_ours and path.startswith(f"{REFERENCE}/")
