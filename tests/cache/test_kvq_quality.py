"""The process that measures quantized keys and values, on a tiny model, and the bench around it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.config import EngineConfig, encode_config
from tui.bench.figures import BenchFault
from tui.bench.harness import available
from tui.bench.kv import (
    MODULE,
    BitsMeasured,
    KVMeasured,
    bytes_figure,
    measure_kv,
    quality_figures,
    read_measured,
    speed_figure,
)
from tui.bench.random_models import write_random_models

pytestmark = pytest.mark.xdist_group("kvq-quality")

TINY: dict[str, Any] = {
    "model_type": "gemma3_text",
    "hidden_size": 64,
    "num_hidden_layers": 4,
    "intermediate_size": 128,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 64,
    "query_pre_attn_scalar": 64,
    "rms_norm_eps": 1e-6,
    "rope_theta": 10_000.0,
    "vocab_size": 300,
    "sliding_window": 64,
    "sliding_window_pattern": 2,
    "torch_dtype": "float32",
}
MODELS = {
    "sliding": TINY,
    "odd": {**TINY, "head_dim": 48, "query_pre_attn_scalar": 48},
}
FULL_TOKENS, WINDOW = 512, 64
BITS = BitsMeasured(8, 30, 6480 * 1024, 0.5625, 3.2e-4, 2.4e-3, 0.994, (8.0, 9.0))
COARSE = BitsMeasured(4, 30, 3600 * 1024, 0.3125, 0.116, 2.0, 0.777, (7.0, 7.0))
MEASURED = KVMeasured(
    "openblas",
    135_000_000,
    512,
    30,
    11520 * 1024,
    1000,
    (10.0, 10.0),
    (BITS, COARSE),
    "",
    "Beware.",
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> EngineConfig:
    return EngineConfig(str(tmp_path_factory.mktemp("kvq-engine")), blas="off")


@pytest.fixture(scope="module")
def place(engine: EngineConfig, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kvq-models")
    asyncio.run(write_random_models(folder, MODELS, engine.temporary_dir))
    return folder


@pytest.fixture(scope="module")
def sliding(engine: EngineConfig, place: Path) -> KVMeasured:
    return asyncio.run(measure_kv(engine, place / "sliding", 100))


def test_bytes_are_those_of_the_tokens_held(sliding: KVMeasured) -> None:
    """Two layers hold all tokens and two a window of them."""
    columns = 2 * FULL_TOKENS + 2 * WINDOW
    per_column = 2 * TINY["head_dim"]
    assert (sliding.tokens, sliding.layers) == (FULL_TOKENS, 4)
    assert sliding.half_bytes == columns * per_column * 2
    for found, packed in zip(sliding.bits, (1.0, 0.5), strict=True):
        scales = 2 * 4 / 64
        assert found.layers == 4
        assert found.kv_bytes == columns * per_column * (packed + scales)


def test_fewer_bits_move_the_predictions_more(sliding: KVMeasured) -> None:
    eight, four = sliding.bits
    assert 0 < eight.mean_divergence < 0.1 * four.mean_divergence
    assert eight.mean_divergence <= eight.worst_divergence < 0.1
    assert four.agreement < eight.agreement <= 1
    assert "4-bit keys and values changed" in sliding.warning


def test_every_side_is_timed_in_every_turn(sliding: KVMeasured) -> None:
    assert sliding.held_tokens == 100
    for turns in (sliding.plain_tps, *(found.decode_tps for found in sliding.bits)):
        assert len(turns) == 7
        assert min(turns) > 0


def test_a_model_that_cannot_be_quantized_is_named_with_the_reason(
    engine: EngineConfig, place: Path
) -> None:
    with pytest.raises(BenchFault, match="head size 48 does not divide into groups of 64"):
        asyncio.run(measure_kv(engine, place / "odd", 0))


@pytest.mark.parametrize("arguments", [[], ["{}", "x", "1"], ["no json", "x", "1", "1"]])
def test_arguments_that_make_no_sense(arguments: list[str]) -> None:
    ended = subprocess.run(
        [sys.executable, "-P", "-m", MODULE, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 2
    assert "CONFIG_JSON MODEL_FOLDER" in ended.stderr


def test_the_process_ends_with_its_input(engine: EngineConfig, tmp_path: Path) -> None:
    """A missing folder would be reported after MLX was loaded; the end of the input comes first."""
    ended = subprocess.run(
        [sys.executable, "-P", "-m", MODULE, encode_config(engine), str(tmp_path), "8", "0"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, b"", b"")


def test_figures_and_their_targets() -> None:
    for found, name in ((BITS, "8-bit"), (COARSE, "4-bit")):
        figure = bytes_figure(found, MEASURED, "x")
        assert figure.name.startswith(name)
        assert figure.measured == pytest.approx(found.ratio)
        assert figure.passes
    heavy = msgspec.structs.replace(COARSE, kv_bytes=3802 * 1024)
    assert not bytes_figure(heavy, MEASURED, "x").passes
    divergence, agreement = quality_figures(BITS, MEASURED)
    assert divergence.measured == pytest.approx(0.32)
    assert divergence.passes
    assert agreement.measured == pytest.approx(99.4)
    far = msgspec.structs.replace(BITS, mean_divergence=1.1e-3)
    assert not quality_figures(far, MEASURED)[0].passes
    assert [figure.passes for figure in quality_figures(COARSE, MEASURED)] == [True, True]
    assert quality_figures(COARSE, MEASURED)[1].note == "Beware."
    assert speed_figure(BITS, MEASURED).measured == pytest.approx(0.85)


@pytest.mark.parametrize(
    ("output", "errors", "status", "message"),
    [
        (b"", b"Traceback\nValueError: no such model", 1, "status 1.: ValueError: no such model"),
        (b"", b"", -9, "it said nothing"),
        (b"", b"", 0, "without reporting"),
        (b"noise\n{}", b"", 0, "without reporting"),
    ],
)
def test_a_process_that_failed(output: bytes, errors: bytes, status: int, message: str) -> None:
    with pytest.raises(BenchFault, match=message):
        read_measured(output, errors, status)


def test_only_the_last_line_counts_and_a_refusal_is_a_fault() -> None:
    content = msgspec.json.encode(MEASURED)
    assert read_measured(b"a library's word\n" + content + b"\n", b"", 0) == MEASURED
    refused = {**json.loads(content), "refusal": "This model has attention sinks."}
    with pytest.raises(BenchFault, match="attention sinks"):
        read_measured(json.dumps(refused).encode(), b"", 0)


def test_the_bench_is_known_by_name() -> None:
    assert "kv" in available()
