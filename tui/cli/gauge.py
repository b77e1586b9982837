"""`zib gauge`: what the running app's model costs, live or once.

Exit codes: 0 shown, 1 no app runs or it does not answer, 2 wrong use, 130 interrupted.
"""

from __future__ import annotations

import asyncio
import os
import sys

import msgspec

from engine.protocol import MemoryReport
from engine.sharing.attach import attach
from engine.status import EngineStatus
from tui.cli.run import EXIT_USAGE, print_error
from tui.cli.streams import EXIT_FAILED, write_json
from tui.paths import PathsError
from tui.settings.errors import SettingsError
from tui.wiring import Wiring, wire
from vault.errors import VaultError

NO_APP = (
    "No zib is running, so there is nothing to gauge. Start `zib` in another window; "
    "`zib fit MODEL` tells what a model would cost."
)
NO_REPORT = "The running zib has not said what it costs; try again in a moment."
NO_TERMINAL = "zib gauge needs a terminal to draw in; `zib gauge --once` prints the gauge."
REPORT_SECONDS = 10.0
EXIT_INTERRUPTED = 130


def run_gauge(is_once: bool, is_json: bool) -> int:
    """Print or draw; returns the exit code."""
    try:
        wiring = wire()
    except (SettingsError, PathsError, VaultError) as error:
        print_error(str(error))
        return EXIT_USAGE
    if not (is_once or is_json):
        return _draw(wiring)
    try:
        report = asyncio.run(newest_report(wiring))
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    if isinstance(report, str):
        print_error(report)
        return EXIT_FAILED
    if is_json:
        # Only the document needs it.
        from tui.widgets.gauge.document import gauge_document

        write_json(msgspec.json.encode(gauge_document(report)))
    else:
        _print(report)
    return 0


async def newest_report(wiring: Wiring) -> MemoryReport | str:
    """What the running app reports, or a sentence why it reports nothing."""
    loop = asyncio.get_running_loop()
    reported: asyncio.Future[MemoryReport] = loop.create_future()

    def hear(news: EngineStatus | MemoryReport) -> None:
        if isinstance(news, MemoryReport) and not reported.done():
            reported.set_result(news)

    client = await attach(wiring.paths.runtime_dir, hear)
    if client is None:
        return NO_APP
    async with client:
        try:
            async with asyncio.timeout(REPORT_SECONDS):
                return await reported
        except TimeoutError:
            return NO_REPORT


def _print(report: MemoryReport) -> None:
    from tui.cli.printed import print_lines
    from tui.widgets.gauge.figures import figures_of
    from tui.widgets.gauge.history import History
    from tui.widgets.gauge.views import full_lines

    figures = figures_of(report)
    print_lines(lambda width: full_lines(figures, History(), width, sys.maxsize), 20, 160)


def _draw(wiring: Wiring) -> int:
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if not is_terminal or os.environ.get("TERM") == "dumb":
        print_error(NO_TERMINAL)
        return EXIT_USAGE
    from tui.cli.gauge_app import GaugeApp

    app = GaugeApp(wiring)
    app.run()
    if app.problem:
        print_error(app.problem)
    return app.return_code or 0
