"""`zib note`: a line with the time on the page of today."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from datetime import datetime

from tui.cli.memory.opened import with_vault
from tui.cli.memory.printed import commit_told, print_json, say
from tui.cli.run import EXIT_USAGE, print_error
from vault.daily import add_note
from vault.history.commit import Committed
from vault.names import displayable
from vault.vault import Vault


def run_note(flags: Mapping[str, object], text: str, is_json: bool) -> int:
    """Add the note; `-`, or nothing when something is piped in, reads standard input."""
    if text == "-" or (not text and not sys.stdin.isatty()):
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
    if not text.strip():
        print_error("There is nothing to note: give a text, or - to read one.")
        return EXIT_USAGE

    def note(vault: Vault) -> int:
        noted = add_note(vault, text, datetime.now().astimezone())
        if is_json:
            told = {"path": displayable(noted.path), "line": noted.line}
            print_json({**told, **commit_told(noted.commit)})
        else:
            say(f"{displayable(noted.path)}: noted.")
            if not isinstance(noted.commit, Committed):
                print_error(noted.commit.message)
        return 0

    return with_vault(flags, note)
