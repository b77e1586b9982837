"""Opens the app, or says politely why it cannot."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from tui.paths import PathsError
from tui.settings.errors import SettingsError
from vault.errors import VaultError

EXIT_USAGE = 2


def run_app(flags: Mapping[str, object]) -> int:
    """Run the terminal program; returns the exit code."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM") == "dumb":
        print_error('zib needs a terminal to open in. For one answer use: zib ask "QUESTION"')
        return EXIT_USAGE
    from tui.wiring import wire

    try:
        wiring = wire(flags)
        _ = wiring.wiki_root
    except (SettingsError, PathsError, VaultError) as error:
        print_error(str(error))
        return EXIT_USAGE
    from tui.app import ZibApp

    app = ZibApp(wiring)
    app.run()
    return app.return_code or 0


def print_error(text: str) -> None:
    """One sanitised line to standard error."""
    from tui.text.sanitise import to_display

    sys.stderr.write(f"zib: {to_display(text)}\n")
