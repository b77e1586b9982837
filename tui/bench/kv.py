"""What quantized keys and values cost: bytes, predictions and speed against plain ones."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from asyncio.subprocess import PIPE
from pathlib import Path

import msgspec

from engine.config import EngineConfig, encode_config
from tui.bench.context import BenchContext, Report
from tui.bench.families import FAMILIES
from tui.bench.figures import BenchFault, Figure, Pair, Target, compared, sampled
from tui.bench.random_models import write_random_models

MODULE = "engine.worker.kv_quality"
TOKENS, HELD_TOKENS = 512, 1000
SLIDING_FAMILY = "gemma3-small-window"
TIME_LIMIT_SECONDS = 900.0
BYTES_TARGETS = {8: Target(0.58, "at most"), 4: Target(0.33, "at most")}
DIVERGENCE_TARGET = Target(1.0, "at most")
FOR_INFORMATION = Target(0.0, "at least", "for information, no target")
_KIB = 1024
_THOUSANDTHS = 1000


class BitsMeasured(msgspec.Struct, frozen=True):
    """One way to quantize, as the process reports it: `kv_quality.BitsQuality`."""

    bits: int
    layers: int
    kv_bytes: int
    ratio: float
    mean_divergence: float
    worst_divergence: float
    agreement: float
    decode_tps: tuple[float, ...]


class KVMeasured(msgspec.Struct, frozen=True):
    """What the process reports: `kv_quality.KVQuality`."""

    compute: str
    parameters: int
    tokens: int
    layers: int
    half_bytes: int
    held_tokens: int
    plain_tps: tuple[float, ...]
    bits: tuple[BitsMeasured, ...]
    refusal: str
    warning: str


async def bench_kv(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """The app's model and one with sliding windows. Raises BenchFault, OSError."""
    measured = await measure_kv(context.engine, context.model_folder, HELD_TOKENS)
    _say(report, context.model_folder.name, measured)
    if measured.warning:
        report(f"  {measured.warning}")
    with tempfile.TemporaryDirectory(prefix="zib-bench-", ignore_cleanup_errors=True) as place:
        config = {SLIDING_FAMILY: FAMILIES[SLIDING_FAMILY]}
        await write_random_models(Path(place), config, context.engine.temporary_dir)
        sliding = await measure_kv(context.engine, Path(place) / SLIDING_FAMILY, 0)
    _say(report, "sliding windows", sliding)
    return (
        *(bytes_figure(each, measured, "the app's model") for each in measured.bits),
        *(bytes_figure(each, sliding, "sliding windows") for each in sliding.bits),
        *(figure for each in measured.bits for figure in quality_figures(each, measured)),
        *(speed_figure(each, measured) for each in measured.bits),
    )


def bytes_figure(found: BitsMeasured, measured: KVMeasured, name: str) -> Figure:
    """Bytes of the same tokens against 2 bytes an element. Raises BenchFault at none at all."""
    pair = Pair((found.kv_bytes / _KIB,), measured.half_bytes / _KIB)
    note = f"{found.layers} of {measured.layers} layers quantized, {measured.tokens} tokens"
    target = BYTES_TARGETS[found.bits]
    return compared(f"{found.bits}-bit KV bytes, {name}", (pair,), "KiB", target, note)


def quality_figures(found: BitsMeasured, measured: KVMeasured) -> tuple[Figure, Figure]:
    """How far the next-token distributions move, and how often the likeliest token stays."""
    is_bound = found.bits == max(BYTES_TARGETS)
    note = f"worst of {measured.tokens} positions {found.worst_divergence * _THOUSANDTHS:.1f}"
    return (
        sampled(
            f"{found.bits}-bit KV, mean divergence",
            "nats/1000",
            (found.mean_divergence * _THOUSANDTHS,),
            DIVERGENCE_TARGET if is_bound else FOR_INFORMATION,
            note,
        ),
        sampled(
            f"{found.bits}-bit KV, same likeliest token",
            "%",
            (100 * found.agreement,),
            FOR_INFORMATION,
            "" if is_bound else measured.warning,
        ),
    )


def speed_figure(found: BitsMeasured, measured: KVMeasured) -> Figure:
    """Speed of single tokens against plain keys. Raises BenchFault when it was not measured."""
    pairs = [
        Pair((ours,), plain)
        for ours, plain in zip(found.decode_tps, measured.plain_tps, strict=True)
    ]
    note = f"on caches of {measured.held_tokens:,} tokens, {measured.compute}"
    name = f"{found.bits}-bit KV, decode against plain"
    return compared(name, pairs, "tok/s", FOR_INFORMATION, note)


async def measure_kv(config: EngineConfig, folder: Path, held_tokens: int) -> KVMeasured:
    """Measure a model folder in a process of its own. Raises BenchFault, OSError."""
    config.temporary_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", MODULE, encode_config(config), str(folder)),
        *(str(TOKENS), str(held_tokens)),
        stdin=PIPE,  # stays open: its end is the process's
        stdout=PIPE,
        stderr=PIPE,
        cwd=config.temporary_dir,
        env={**os.environ, "TMPDIR": str(config.temporary_dir)},
    )
    try:
        output, errors = await asyncio.wait_for(_read(process), TIME_LIMIT_SECONDS)
    except TimeoutError as error:
        limit = f"{TIME_LIMIT_SECONDS:g} s"
        raise BenchFault(f"Quantized keys were not measured within {limit}.") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return read_measured(output, errors, process.returncode)


async def _read(process: asyncio.subprocess.Process) -> tuple[bytes, bytes]:
    """What it prints until it ends; unlike `communicate` this leaves its input open."""
    if process.stdout is None or process.stderr is None:
        raise BenchFault("The measuring process has no output to read.")
    output, errors = await asyncio.gather(process.stdout.read(), process.stderr.read())
    await process.wait()
    return output, errors


def read_measured(output: bytes, errors: bytes, status: int | None) -> KVMeasured:
    """The process's last line. Raises BenchFault, also when the model cannot be quantized."""
    lines = errors.decode("utf-8", "replace").strip().splitlines() or ["it said nothing"]
    if status:
        raise BenchFault(f"Quantized keys could not be measured (status {status}): {lines[-1]}")
    try:
        measured = msgspec.json.decode(output.splitlines()[-1], type=KVMeasured)
    except (IndexError, msgspec.DecodeError) as error:
        raise BenchFault("The measuring process ended without reporting anything.") from error
    if measured.refusal:
        raise BenchFault(measured.refusal)
    return measured


def _say(report: Report, name: str, measured: KVMeasured) -> None:
    for found in measured.bits:
        report(
            f"  {name}, {found.bits} bits: {found.ratio:.4f} of 16-bit bytes, divergence "
            f"{found.mean_divergence:.2g} nats, {found.agreement:.1%} same likeliest token"
        )
