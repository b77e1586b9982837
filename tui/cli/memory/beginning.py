"""`zib memory init`: sets a wiki up, or agrees that a folder that was there may be changed."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

from tui.cli.memory.opened import with_wiring
from tui.cli.memory.printed import print_json, say
from tui.wiring import Wiring
from vault.consent import PAGES_FOLDER, Consents
from vault.history.moved_home import continue_history, histories_that_fit
from vault.names import displayable
from vault.vault import Vault, open_vault


def run_init(flags: Mapping[str, object], pages_folder: str, history_of: str, is_json: bool) -> int:
    """Set the wiki up; for a folder that was there before, agree that zib may change it.

    `history_of` is the path a folder had before it was moved; "" for none.
    """

    def init(wiring: Wiring) -> int:
        location = wiring.wiki
        vault = open_vault(location.root, Consents(location.consents_dir), location.data_dir)
        if history_of:
            old = Path(history_of).expanduser().absolute()
            continue_history(vault.home, location.data_dir, old)
        if not vault.is_ours:
            vault.agree(pages_folder or PAGES_FOLDER)
        fitting = () if history_of else histories_that_fit(vault.home, location.data_dir)
        (_print if is_json else _tell)(vault, [displayable(str(folder)) for folder in fitting])
        return 0

    return with_wiring(flags, init)


def _print(vault: Vault, fitting: list[str]) -> None:
    consent = vault.set_up.consent
    print_json(
        {
            "root": displayable(str(vault.root)),
            "created": [displayable(path) for path in vault.set_up.created],
            "pages_folder": consent.pages_folder if consent else "",
            "histories_that_fit": fitting,
        }
    )


def _tell(vault: Vault, fitting: list[str]) -> None:
    consent = vault.set_up.consent
    if consent:
        where = f"pages of its own go into {consent.pages_folder}"
        say(f"zib may change the notes in {vault.root}; {where}.")
    else:
        made = len(vault.set_up.created)
        say(f"The wiki at {vault.root} is {f'made: {made} files' if made else 'complete'}.")
    for folder in fitting:
        say(
            f"Was this folder {folder}? Its history goes on with --history-of {shlex.quote(folder)}"
        )
