"""Entry point of `zib`."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Open the app when called bare; everything else is the command line's."""
    if len(sys.argv) == 1:
        # Collecting garbage while modules load finds none; the app turns it on again.
        gc.disable()
        # The command line library is not needed for the app, and costs start-up time.
        from tui.cli.run import run_app
        from tui.cli.streams import fill_missing_streams

        fill_missing_streams()
        sys.exit(run_app({}))
    from tui.cli.commands import app
    from tui.cli.streams import guard_streams

    guard_streams(app)


if __name__ == "__main__":
    main()
