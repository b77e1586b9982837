"""`zib models`: list, get, import and remove models.

Standard output carries what was asked for: the table, the folder of what arrived. Progress and
questions go to standard error. Exit codes: 0 done, 1 not done, 2 wrong use, 130 interrupted.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.text import Text

from engine.errors import EngineError, ModelUnavailable
from engine.models.choice import choose_model
from engine.models.download import MAIN, download_model
from engine.models.importing import import_model
from engine.models.library import find_models, model_at
from engine.models.removal import Removal, plan_removal, remove
from engine.plan.contract import PlanOptions
from tui.cli.models_bar import with_bar
from tui.cli.models_list import ListedModel, is_here, print_table, to_json
from tui.cli.run import EXIT_USAGE, print_error
from tui.cli.streams import write_json
from tui.models.local_plan import local_planner
from tui.paths import PathsError, ensure
from tui.settings.errors import SettingsError
from tui.text.line import to_line
from tui.widgets.gauge.units import format_bytes
from tui.wiring import Wiring, wire
from vault.errors import VaultError

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130
_WIDTH_OF_A_PIPE = 160
_HUB_PAGE = "https://huggingface.co/"
_REFUSED = (SettingsError, PathsError, VaultError)


def run_list(is_json: bool) -> int:
    """Print every model found."""

    def print_all(wiring: Wiring) -> int:
        plan = local_planner(wiring.launch.config)
        models = [
            ListedModel(entry, plan(entry.folder, PlanOptions()) if is_here(entry) else None)
            for entry in find_models(wiring.shop.places)
        ]
        if is_json:
            write_json(to_json(models))
        else:
            width = None if sys.stdout.isatty() else _WIDTH_OF_A_PIPE
            print_table(models, Console(width=width))
        return 0

    return _run(print_all)


def run_get(repository: str, revision: str | None) -> int:
    """Download a model of the hub; a second try goes on where the first ended."""
    name = repository.removeprefix(_HUB_PAGE).strip("/")

    async def get(wiring: Wiring) -> int:
        cache = wiring.shop.places.hub_cache
        folder = await with_bar(
            name, lambda report: download_model(name, cache, report, revision or MAIN)
        )
        _print_arrival(wiring, name, folder)
        return 0

    def stopped() -> None:
        print_error(f"Stopped. `zib models get {name}` goes on from here.")

    return _run(lambda wiring: asyncio.run(get(wiring)), stopped)


def run_import(source: str, name: str | None) -> int:
    """Convert a GGUF file, or link a model folder, into the models folder."""

    async def bring(wiring: Wiring) -> int:
        models_dir = ensure(wiring.shop.places.models_dir)
        folder = await with_bar(
            Path(source).name,
            lambda report: import_model(Path(source), models_dir, name or "", report),
        )
        if folder.is_symlink():
            print_error(f"Linked: the files stay in {folder.resolve()} and are not copied.")
        _print_arrival(wiring, folder.relative_to(models_dir).as_posix(), folder)
        return 0

    return _run(lambda wiring: asyncio.run(bring(wiring)))


def run_remove(wanted: str, is_sure: bool) -> int:
    """Say what goes, ask, and delete it."""

    def delete(wiring: Wiring) -> int:
        places = wiring.shop.places
        entry = choose_model(find_models(places), wanted)
        if entry.source == "builtin" and wanted != entry.name:
            raise ModelUnavailable(
                f"{wanted!r} means the built-in model; to remove that one, give its whole name: "
                f"`zib models remove {entry.name}`."
            )
        removal = plan_removal(entry, places)
        _print_removal(removal)
        if not is_sure:
            if not sys.stdin.isatty():
                print_error("Nothing was removed: without a terminal to ask on, give --yes.")
                return EXIT_USAGE
            if not _is_confirmed():
                print_error("Nothing was removed.")
                return EXIT_FAILED
        remove(removal)
        print_error(f"{removal.name} is removed.")
        return 0

    return _run(delete)


def _run(action: Callable[[Wiring], int], stopped: Callable[[], None] | None = None) -> int:
    try:
        wiring = wire()
    except _REFUSED as error:
        print_error(str(error))
        return EXIT_USAGE
    for warning in wiring.loaded.warnings:
        print_error(warning)
    try:
        return action(wiring)
    except (EngineError, PathsError) as error:
        print_error(str(error))
        return EXIT_FAILED
    except KeyboardInterrupt:
        if stopped:
            stopped()
        return EXIT_INTERRUPTED


def _print_arrival(wiring: Wiring, name: str, folder: Path) -> None:
    entry = model_at(folder)
    if entry.problem:
        print_error(entry.problem)
    else:
        plan = local_planner(wiring.launch.config)(entry.folder, PlanOptions())
        need = f"{format_bytes(plan.total_bytes)} of {format_bytes(plan.usable_bytes)} of memory"
        words = {
            "fits": f"fits ({need})",
            "squeezes": f"fits, but squeezes other programs ({need})",
            "too-big": f"does not fit ({need})",
            "unknown": "is here; what memory it needs is not known",
        }
        print_error(f"{name} {words[plan.verdict]}. Chat with it: zib --model {name}")
    Console(soft_wrap=True).print(Text(to_line(str(folder))))


def _print_removal(removal: Removal) -> None:
    print_error(f"{removal.name}: removing this frees {format_bytes(removal.freed_bytes)}:")
    for path in removal.paths[:12]:
        kind = " (only the link)" if path.is_symlink() else ""
        print_error(f"  {path}{kind}")
    if len(removal.paths) > 12:
        print_error(f"  and {len(removal.paths) - 12} more files")


def _is_confirmed() -> bool:
    sys.stderr.write("Remove it? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
