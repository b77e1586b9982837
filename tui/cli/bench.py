"""`zib bench`: runs the benches and prints each figure beside its target."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from engine.errors import EngineError
from tui.bench import (
    BenchContext,
    BenchFault,
    BenchResult,
    exit_code,
    render,
    run_benches,
    to_json,
)
from tui.bench.harness import choose
from tui.cli.output import ProgressLine
from tui.cli.run import EXIT_USAGE, print_error
from tui.cli.streams import write_json
from tui.paths import PathsError
from tui.settings.errors import SettingsError
from tui.status_wording import fetch_line
from tui.wiring import Wiring, wire
from vault.errors import VaultError


def run_bench(names: Sequence[str], is_json: bool) -> int:
    """Run and print; 0 when every figure meets its target, 1 when one falls short, 2 wrong use."""
    try:
        results = asyncio.run(_measure(names, wire()))
    except (SettingsError, PathsError, VaultError, BenchFault) as error:
        print_error(str(error))
        return EXIT_USAGE
    except EngineError as error:
        print_error(str(error))
        return 1
    except KeyboardInterrupt:
        return 130
    if is_json:
        write_json(to_json(results).encode())
    else:
        Console().print(render(results))
    return exit_code(results)


async def _measure(names: Sequence[str], wiring: Wiring) -> tuple[BenchResult, ...]:
    progress = ProgressLine()
    folder = Path()
    if any(bench.needs_model for bench in choose(names)):
        folder = await wiring.find_model(lambda news: progress.show(fetch_line(news)))
        progress.clear()
    context = BenchContext(folder, wiring.launch.config, corpora=wiring.corpora)
    return await run_benches(names, context, progress.note)
