"""`zib fit`: what a model would cost here, before it is loaded.

Exit codes: 0 fits, 1 does not fit or cannot be planned, 2 wrong use, 130 interrupted.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
from msgspec.structs import replace

from engine.errors import EngineError, EngineStopped, ModelUnavailable
from engine.models.choice import choose_model
from engine.models.entry import ModelEntry
from engine.models.library import find_models
from engine.plan.contract import MemoryPlan, PlanOptions
from engine.plan.machine_device import DeviceUnknown, device_facts
from engine.sharing.attach import attach
from tui.cli.output import ProgressLine
from tui.cli.printed import print_lines
from tui.cli.run import EXIT_USAGE, print_error
from tui.cli.streams import EXIT_FAILED, write_json
from tui.paths import PathsError
from tui.settings.errors import SettingsError
from tui.widgets.gauge.bill import bill_lines, is_plan_only
from tui.widgets.gauge.figures import sized
from tui.widgets.gauge.units import format_tokens
from tui.widgets.gauge.words import parameters_words
from tui.wiring import Wiring, wire
from vault.errors import VaultError

EXIT_INTERRUPTED = 130
KV_BITS = (4, 8)
Planner = Literal["this process", "running zib"]


@dataclass(frozen=True, slots=True)
class FitOptions:
    """What the command line said; `memory` in GiB."""

    model: str
    context_tokens: int | None
    kv_bits: int | None
    rows: int
    memory: float | None
    draft: str
    is_json: bool


class FitDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The JSON document of `zib fit --json`."""

    schema_version: int = 1
    model: str
    folder: str
    problem: str
    is_plan_only: bool
    planned_by: Planner
    plan: MemoryPlan


class _WrongUse(Exception):
    """An option that makes no sense; `str()` is a sentence."""


def run_fit(options: FitOptions) -> int:
    """Plan and print; returns the exit code."""
    try:
        wanted = plan_options(options)
        wiring = wire()
        entries = find_models(wiring.shop.places)
        entry = choose_model(entries, options.model)
        if options.draft:
            draft = choose_model(entries, options.draft)
            wanted = replace(wanted, draft=str(draft.folder.resolve()))
    except (SettingsError, PathsError, VaultError, ModelUnavailable, _WrongUse) as error:
        print_error(str(error))
        return EXIT_USAGE
    if entry.source == "builtin" and not entry.folder.exists():
        print_error(f"{entry.name} is not on this machine yet: zib fetches it when it first opens.")
        return EXIT_FAILED
    try:
        plan, planned_by = asyncio.run(_plan(wiring, entry.folder, wanted))
    except EngineError as error:
        print_error(str(error))
        return EXIT_FAILED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    if options.is_json:
        document = FitDocument(
            model=entry.name,
            folder=str(entry.folder),
            problem=entry.problem,
            is_plan_only=is_plan_only(plan),
            planned_by=planned_by,
            plan=plan,
        )
        write_json(msgspec.json.encode(document))
    else:
        _print(entry, plan, planned_by)
    return 0 if plan.fits else EXIT_FAILED


def plan_options(options: FitOptions) -> PlanOptions:
    """The options as a plan is asked for. Raises a sentence for what makes no sense."""
    if options.kv_bits is not None and options.kv_bits not in KV_BITS:
        raise _WrongUse(
            f"--kv-bits is 4 or 8, not {options.kv_bits}; "
            "without the option the KV cache is not quantized."
        )
    budget = None
    if options.memory is not None:
        if not math.isfinite(options.memory) or options.memory <= 0:
            raise _WrongUse(f"--memory is a number of GiB above 0, not {options.memory}.")
        budget = int(options.memory * 1024**3)
    return PlanOptions(
        context_tokens=options.context_tokens,
        kv_bits=options.kv_bits,
        rows=options.rows,
        budget_bytes=budget,
    )


async def _plan(wiring: Wiring, folder: Path, options: PlanOptions) -> tuple[MemoryPlan, Planner]:
    """By the running app, whose own model would be freed first, else by this process."""
    client = await attach(wiring.paths.runtime_dir)
    if client is not None:
        async with client:
            try:
                return await client.plan(str(folder.resolve()), options), "running zib"
            except EngineStopped:
                pass
    config = wiring.launch.config
    progress = ProgressLine()
    progress.show("finding out what this machine computes on")
    try:
        await device_facts(Path(config.cache_dir), config.blas)
    except DeviceUnknown as error:
        progress.note(str(error))
    finally:
        progress.clear()
    return await asyncio.to_thread(wiring.shop.plan, folder, options), "this process"


def _print(entry: ModelEntry, plan: MemoryPlan, planned_by: Planner) -> None:
    facts = [entry.architecture, parameters_words(entry.parameters), entry.quantization]
    if entry.context_window > 0:
        facts.append(f"{format_tokens(entry.context_window)} tokens")
    words = " · ".join(fact for fact in facts if fact)
    if entry.problem and sized(plan) is None:
        # There is no bill, and the plan's reasons do not know that loading would fail.
        print_error(f"{entry.name} cannot be loaded. {entry.problem}")
        return
    print_lines(lambda width: bill_lines(plan, entry.name, words, width), 40, 100)
    if planned_by == "running zib":
        print_error("planned by the running zib, whose own model would be freed first.")
    if entry.problem:
        print_error(f"It cannot be loaded. {entry.problem}")
