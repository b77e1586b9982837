"""The plan's bytes against what mlx-lm allocates, for small models of every family."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.models.safetensors_header import folder_tensors
from engine.plan.device import Device
from engine.plan.families.registry import geometry_of
from engine.plan.kept_tensors import kept_tensors
from engine.plan.kv_bytes import allocated_kv
from engine.plan.weights import Weights, plan_weights
from engine.plan.workload import Workload
from tests.models_fixture import REPOSITORY
from tests.plan.small_configs import SMALL_CONFIGS

pytestmark = pytest.mark.xdist_group("plan-real-models")

CHUNK = 64
UNLIMITED = 1 << 50
GPU = Device("metal", "a GPU", "metal")
FAST_CPU = Device("cpu", "a CPU", "openblas")
SLOW_CPU = Device("cpu", "a CPU", "reference")

Facts = dict[str, Any]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("small-models")


@pytest.fixture(scope="module")
def measured(models: Path) -> Facts:
    """Facts by model name; one process measures every family."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.plan.measure_small_models", str(models)],
        input=json.dumps(dict(SMALL_CONFIGS)),
        capture_output=True,
        text=True,
        cwd=REPOSITORY,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    facts: Facts = json.loads(done.stdout.splitlines()[-1])
    return facts


def planned(folder: Path, device: Device) -> Weights:
    config = json.loads((folder / "config.json").read_text())
    kept = kept_tensors(config, geometry_of(config), folder_tensors(folder))
    return plan_weights(kept, config, device, UNLIMITED)


@pytest.mark.parametrize("name", SMALL_CONFIGS)
def test_weights_are_billed_to_the_byte(name: str, models: Path, measured: Facts) -> None:
    quantized = f"{name}-4bit"
    billed = {
        name: {
            "stored": planned(models / name, GPU).resident_bytes,
            "float32": planned(models / name, FAST_CPU).resident_bytes,
        },
        quantized: {
            "stored": planned(models / quantized, GPU).resident_bytes,
            "packed": planned(models / quantized, SLOW_CPU).resident_bytes,
            "expanded": planned(models / quantized, FAST_CPU).resident_bytes,
        },
    }
    for model, forms in billed.items():
        assert forms == {form: measured[model][form] for form in forms}


@pytest.mark.parametrize("name", SMALL_CONFIGS)
def test_caches_are_billed_to_the_byte(name: str, measured: Facts) -> None:
    geometry = geometry_of(SMALL_CONFIGS[name])
    held = {int(tokens): size for tokens, size in measured[name]["kv"].items()}
    billed = {
        tokens: sum(
            item.bytes
            for item in allocated_kv(
                Workload(geometry, tokens, CHUNK, 1, 4, FAST_CPU.backend, FAST_CPU.compute)
            )
        )
        for tokens in held
    }
    assert billed == held


def test_activations_have_the_type_of_the_embeddings(models: Path, measured: Facts) -> None:
    assert measured
    assert planned(models / "llama", GPU).element_bytes == 2
    assert planned(models / "llama-4bit", GPU).element_bytes == 2
    assert planned(models / "llama", FAST_CPU).element_bytes == 4


def test_experts_are_told_from_the_rest(models: Path, measured: Facts) -> None:
    assert measured
    mixtral = planned(models / "mixtral", GPU)
    # Four layers of four experts with three matrices of 128 by 192.
    assert mixtral.expert_bytes == 4 * 4 * 3 * 128 * 192 * 2
    assert planned(models / "llama", GPU).expert_bytes == 0


def test_only_a_table_beside_an_output_matrix_is_looked_up(models: Path, measured: Facts) -> None:
    assert measured
    assert planned(models / "llama", GPU).lookup_bytes == 320 * 128 * 2
    assert planned(models / "llama tied", GPU).lookup_bytes == 0
