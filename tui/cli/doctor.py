"""`zib doctor`: what runs on this machine, how, and what would make it better.

Exit codes: 0 all well, 1 something needs attention, 2 the settings cannot be read.
"""

from __future__ import annotations

import asyncio
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

import msgspec
from rich.console import Console
from rich.text import Text

from engine.diagnosis import diagnose_compute
from engine.errors import EngineError
from engine.models.builtin import BUILTIN_MODEL, builtin_folder, is_builtin_ready
from engine.models.choice import choose_loadable
from engine.models.library import find_models
from engine.plan.machine import measure_machine
from engine.plan.machine_device import device_facts
from engine.sizes import in_words
from tui.cli.kv_words import kv_fact, kv_remedy
from tui.cli.run import EXIT_USAGE, print_error
from tui.cli.streams import write_json
from tui.paths import PathsError
from tui.settings.errors import SettingsError
from tui.text.line import to_line
from tui.wiring import Wiring, wire
from vault.errors import VaultError

Verdict = Literal["good", "note", "bad"]
_MARKS: dict[Verdict, tuple[str, str]] = {
    "good": ("✓", "green"),
    "note": ("·", "yellow"),
    "bad": ("✗", "red"),
}


class Finding(msgspec.Struct, frozen=True):
    """One line of the examination; `remedy` says what to do."""

    subject: str
    verdict: Verdict
    fact: str
    remedy: str = ""


def run_doctor(is_json: bool) -> int:
    """Examine and print; returns the exit code."""
    try:
        wiring = wire()
        findings = list(examine(wiring))
    except (SettingsError, PathsError, VaultError) as error:
        print_error(str(error))
        return EXIT_USAGE
    if is_json:
        # A path may hold bytes that are no text; JSON may not.
        clean = [msgspec.structs.replace(one, fact=to_line(one.fact)) for one in findings]
        write_json(msgspec.json.encode(clean))
    else:
        _print(findings)
    return 1 if any(finding.verdict == "bad" for finding in findings) else 0


def examine(wiring: Wiring) -> Iterator[Finding]:
    """Every finding, cheap ones first."""
    yield Finding("python", "good", f"{platform.python_version()} on {platform.platform()}")
    yield from _packages()
    yield _git()
    yield _compute(wiring)
    yield _memory(wiring)
    yield _model(wiring)
    yield _kv_cache(wiring)
    yield _wiki(wiring)
    for warning in wiring.loaded.warnings:
        yield Finding("settings", "note", warning)


def _packages() -> Iterator[Finding]:
    for name in ("mlx", "mlx-lm", "textual"):
        found = _version(name)
        yield Finding(name, "good", found) if found else _missing(name)
    if sys.platform != "linux":
        return
    backends = [name for name in ("mlx-cpu", "mlx-cuda-13", "mlx-cuda-12") if _version(name)]
    match backends:
        case [one]:
            yield Finding("mlx backend", "good", f"{one} {_version(one)}")
        case []:
            remedy = "Install one of them: pip install 'zibaldone[cpu]' or 'zibaldone[cuda13]'."
            yield Finding("mlx backend", "bad", "neither the CPU nor a CUDA backend", remedy)
        case _:
            remedy = "They overwrite each other's files: make a fresh environment with one of them."
            yield Finding("mlx backend", "bad", " and ".join(backends), remedy)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _missing(name: str) -> Finding:
    return Finding(name, "bad", "not installed", "Install zibaldone again: `make run` does it.")


def _git() -> Finding:
    program = shutil.which("git")
    if program is None:
        remedy = "Install git; the wiki works without it, but keeps no history."
        return Finding("git", "note", "not found", remedy)
    done = subprocess.run([program, "--version"], capture_output=True, check=False, timeout=20)
    return Finding("git", "good", done.stdout.decode("utf-8", "replace").strip())


def _compute(wiring: Wiring) -> Finding:
    try:
        path = diagnose_compute(wiring.launch.config)
    except EngineError as error:
        return Finding("engine", "bad", str(error), "Reinstall with `make run` and try again.")
    where = f" ({path.library})" if path.library else ""
    verdict: Verdict = "good" if path.is_fast else "note"
    return Finding("compute", verdict, f"{path.kind}{where}: {path.reason}", path.advice)


def _memory(wiring: Wiring) -> Finding:
    """What a model may occupy. Never above `note`: a small machine is no fault."""
    config = wiring.launch.config
    try:
        device = asyncio.run(device_facts(Path(config.cache_dir), config.blas))
    except EngineError as error:
        return Finding("memory", "note", str(error))
    machine = measure_machine(device, limit_bytes=config.memory_limit_bytes)
    usable, free = in_words(machine.usable_bytes), in_words(machine.available_bytes)
    fact = f"{usable} for a model, bound by {machine.binding}; {free} free"
    if machine.is_squeezed:
        remedy = "The system is short of memory: close other programs before a large model."
        return Finding("memory", "note", fact, remedy)
    return Finding("memory", "good", fact, " ".join(machine.notes))


def _model(wiring: Wiring) -> Finding:
    if not wiring.settings.model:
        return _builtin(wiring)
    try:
        entry = choose_loadable(find_models(wiring.shop.places), wiring.settings.model)
    except EngineError as error:
        return Finding("model", "bad", str(error))
    return Finding("model", "good", f"{entry.name}: {entry.folder}")


def _kv_cache(wiring: Wiring) -> Finding:
    config, wanted = wiring.launch.config, wiring.settings.model
    parameters = 0
    if wanted and config.kv_bits != "off":
        try:
            parameters = choose_loadable(find_models(wiring.shop.places), wanted).parameters
        except EngineError:
            parameters = 0
    remedy = kv_remedy(config, parameters)
    return Finding("KV cache", "note" if remedy else "good", kv_fact(config), remedy)


def _builtin(wiring: Wiring) -> Finding:
    models = wiring.paths.models_dir
    if is_builtin_ready(models):
        return Finding("model", "good", f"built-in {BUILTIN_MODEL.name}: {builtin_folder(models)}")
    remedy = "It is fetched once when `zib` or `zib ask` starts."
    return Finding("model", "note", f"built-in {BUILTIN_MODEL.name}, not here yet", remedy)


def _wiki(wiring: Wiring) -> Finding:
    root = wiring.wiki_root
    if root.is_dir():
        return Finding("wiki", "good", str(root))
    return Finding("wiki", "note", f"{root}, not there yet", "It is made when `zib` starts.")


def _print(findings: list[Finding]) -> None:
    console = Console(soft_wrap=True)
    for finding in findings:
        mark, colour = _MARKS[finding.verdict]
        line = Text.assemble(
            (mark, colour), f" {finding.subject.ljust(12)} ", to_line(finding.fact)
        )
        console.print(line)
        if finding.remedy:
            console.print(Text(f"  {' ' * 12} → {to_line(finding.remedy)}", style="dim"))
