"""What quantized keys and values cost a model: bytes, predictions, speed.

`python -P -m engine.worker.kv_quality CONFIG_JSON MODEL_FOLDER TOKENS HELD_TOKENS` feeds the same
text to the model with plain, 8-bit and 4-bit caches and compares every next-token distribution;
then it times single tokens on caches that hold `HELD_TOKENS` (0: does not). One JSON document
(`KVQuality`). It ends when its standard input does.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from engine.compute import ComputePath
from engine.config import EngineConfig, decode_config
from engine.models.lifeline import die_with_parent
from engine.plan.device import Device
from engine.plan.kv_warning import SMALL_PARAMETERS
from engine.plan.machine import measure_machine
from engine.worker.blas import activate
from engine.worker.sample_text import SAMPLE_TEXT

if TYPE_CHECKING:
    from engine.worker.kv_comparison import Outcome

BITS = (8, 4)


class BitsQuality(msgspec.Struct, frozen=True):
    """One way to quantize against plain keys and values on the same tokens.

    `kv_bytes` is what the caches hold, `ratio` that against 16-bit elements. Divergences are in
    nats; `agreement` is the share of positions with the same most likely token. `decode_tps` has
    one figure a turn, like `KVQuality.plain_tps`.
    """

    bits: int
    layers: int
    kv_bytes: int
    ratio: float
    mean_divergence: float
    worst_divergence: float
    agreement: float
    decode_tps: tuple[float, ...] = ()


class KVQuality(msgspec.Struct, frozen=True):
    """What was measured. `refusal` says why nothing is quantized, `warning` what to beware of."""

    compute: str
    parameters: int
    tokens: int
    layers: int
    half_bytes: int
    """Of the same tokens with 2 bytes an element."""
    held_tokens: int
    plain_tps: tuple[float, ...] = ()
    bits: tuple[BitsQuality, ...] = ()
    refusal: str = ""
    warning: str = ""


def measure(config: EngineConfig, folder: Path, tokens: int, held_tokens: int) -> KVQuality:
    """Load the model as the engine does and compare. Imports MLX: call it once in a process."""
    compute = activate(Path(config.cache_dir) / "blas", config.blas, config.threads)
    from mlx_lm.utils import get_total_parameters

    from engine.worker.cache.attention_patch import install_attention
    from engine.worker.device import probe_device
    from engine.worker.kv_comparison import Comparison, decode_speeds

    model, tokenizer, settings = _load(folder, config, compute, probe_device(compute))
    install_attention(compute.kind)
    comparison = Comparison(model, settings, BITS)
    text: list[int] = tokenizer.encode(SAMPLE_TEXT)[:tokens]
    count_parameters: Any = get_total_parameters
    parameters = int(count_parameters(model))
    outcomes = () if comparison.refusal else comparison.run(text)
    policies = comparison.policies
    speeds = decode_speeds(model, policies, held_tokens) if outcomes and held_tokens else {}
    return KVQuality(
        compute=compute.kind,
        parameters=parameters,
        tokens=len(text),
        layers=len(policies[0].layers),
        half_bytes=comparison.half_bytes,
        held_tokens=held_tokens,
        plain_tps=speeds.get(0, ()),
        bits=tuple(
            _quality(outcome, comparison.half_bytes, speeds.get(outcome.bits, ()))
            for outcome in outcomes
        ),
        refusal=comparison.refusal,
        warning=_warning(outcomes, parameters),
    )


def _load(
    folder: Path, config: EngineConfig, compute: ComputePath, device: Device
) -> tuple[Any, Any, dict[str, Any]]:
    from mlx_lm import load

    from engine.worker.precision import prepare_for_cpu

    # mlx-lm carries hardly any types.
    load_folder: Any = load
    model, tokenizer, settings = load_folder(str(folder), return_config=True)
    if device.backend == "cpu":
        usable = measure_machine(device, limit_bytes=config.memory_limit_bytes).usable_bytes
        prepare_for_cpu(model, compute.is_fast, usable)
    return model, tokenizer, settings


def _quality(outcome: Outcome, half_bytes: int, decode_tps: tuple[float, ...]) -> BitsQuality:
    return BitsQuality(
        bits=outcome.bits,
        layers=outcome.layers,
        kv_bytes=outcome.kv_bytes,
        ratio=outcome.kv_bytes / half_bytes,
        mean_divergence=float(outcome.divergences.mean()),
        worst_divergence=float(outcome.divergences.max()),
        agreement=outcome.agreement,
        decode_tps=decode_tps,
    )


def _warning(outcomes: Sequence[Outcome], parameters: int) -> str:
    coarse = [outcome for outcome in outcomes if outcome.bits < max(BITS)]
    if parameters >= SMALL_PARAMETERS or not coarse:
        return ""
    changed = max(1 - outcome.agreement for outcome in coarse)
    return (
        f"4-bit keys and values changed {changed:.0%} of the most likely next tokens: on a model "
        "this small choose 8 bits."
    )


def main(arguments: Sequence[str]) -> int:
    """Measure and print; 2 when the arguments make no sense."""
    try:
        config, folder = decode_config(arguments[0]), Path(arguments[1])
        tokens, held_tokens = int(arguments[2]), int(arguments[3])
    except (IndexError, ValueError):
        sys.stderr.write("Give CONFIG_JSON MODEL_FOLDER TOKENS HELD_TOKENS.\n")
        return 2
    die_with_parent()
    quality = measure(config, folder, tokens, held_tokens)
    sys.stdout.write(msgspec.json.encode(quality).decode() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
