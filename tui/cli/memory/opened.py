"""Opens the wiki for one command and turns what goes wrong into a sentence and an exit code.

Standard output carries what was asked for, standard error what was done. Exit codes: 0 done, 1 not
done, 2 wrong use, 130 interrupted.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping

from tui.cli.run import EXIT_USAGE, print_error
from tui.paths import PathsError
from tui.settings.errors import SettingsError
from tui.wiring import Wiring, wire
from vault.consent import Consents
from vault.errors import VaultError
from vault.links.link import Link
from vault.links.resolve import Found, page_key
from vault.vault import Vault, open_vault

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130
_MOST_SUGGESTED = 5


def with_wiring(flags: Mapping[str, object], action: Callable[[Wiring], int]) -> int:
    """Run a command that opens the wiki itself."""
    try:
        wiring = wire(flags)
        _ = wiring.wiki_root
    except (SettingsError, PathsError, VaultError) as error:
        print_error(str(error))
        return EXIT_USAGE
    for warning in wiring.loaded.warnings:
        print_error(warning)
    try:
        return action(wiring)
    except VaultError as error:
        print_error(str(error))
        return EXIT_FAILED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def with_vault(flags: Mapping[str, object], action: Callable[[Vault], int]) -> int:
    """Run a command on a wiki that is there."""

    def open_and_act(wiring: Wiring) -> int:
        return action(opened(wiring))

    return with_wiring(flags, open_and_act)


def opened(wiring: Wiring) -> Vault:
    """Open the wiki; one that is not there yet is not made. Raises VaultError."""
    location = wiring.wiki
    if not location.root.exists():
        raise VaultError(f"There is no wiki at {location.root} yet. Make it with: zib memory init")
    return open_vault(location.root, Consents(location.consents_dir), location.data_dir)


def page_called(vault: Vault, name: str) -> str:
    """Return the path of the one page a name means. Raises VaultError for none or several."""
    name = name.strip()
    link = Link(0, 0, (0, 0), name, None, "", is_embed=False, form="wikilink")
    listing = vault.listing()
    found = vault.resolver(listing).resolve(link, "")
    if isinstance(found, Found) and name:
        if found.is_ambiguous and name not in found.candidates:
            raise VaultError(
                f"“{name}” is the name of {len(found.candidates)} pages; give a path: "
                f"{', '.join(found.candidates[:_MOST_SUGGESTED])}."
            )
        return found.path
    titles = {page_key(note.title): note.path for note in listing.notes}
    near = difflib.get_close_matches(page_key(name), titles, _MOST_SUGGESTED)
    hint = f" Did you mean {', '.join(titles[key] for key in near)}?" if near else ""
    raise VaultError(f"There is no page “{name}”.{hint}")
