"""LoRA adapters: applied whole or refused, billed, and gone when unloaded."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio
from safetensors.numpy import load_file, save_file

from engine.plan.contract import PlanOptions
from engine.protocol import Failed, LoadModel, ModelLoaded, Plan, Planned
from tests.engine.harness import RawEngine, raw_engine
from tests.engine.subjects import QUESTION, mlx_launch
from tests.tiny_model import HEAD_DIM, HEADS, LAYERS, WIDTH

pytestmark = pytest.mark.asyncio(loop_scope="module")
RANK = 4
KEY = "self_attn.q_proj"


def write_adapter(folder: Path, strength: float = 3.0) -> Path:
    """An adapter of every layer's queries, as mlx-lm's trainer writes it."""
    folder.mkdir(parents=True)
    random = np.random.default_rng(3)
    tensors = {}
    for layer in range(LAYERS):
        name = f"model.layers.{layer}.{KEY}"
        tensors[f"{name}.lora_a"] = random.normal(0, 1, (WIDTH, RANK)).astype(np.float32)
        tensors[f"{name}.lora_b"] = random.normal(0, strength, (RANK, HEADS * HEAD_DIM)).astype(
            np.float32
        )
    save_file(tensors, folder / "adapters.safetensors")
    (folder / "adapter_config.json").write_text(
        json.dumps(
            {
                "fine_tune_type": "lora",
                "num_layers": LAYERS,
                "lora_parameters": {"rank": RANK, "scale": 5.0, "dropout": 0.5, "keys": [KEY]},
            }
        )
    )
    return folder


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine() -> AsyncIterator[RawEngine]:
    async with raw_engine(mlx_launch()) as engine:
        yield engine


async def load(engine: RawEngine, model: Path, adapter: Path | None) -> ModelLoaded | Failed:
    command = LoadModel(engine.next_id(), str(model), str(adapter) if adapter else "")
    answer = await engine.ask(command)
    assert isinstance(answer, ModelLoaded | Failed)
    return answer


async def test_an_adapter_changes_the_answer_and_unloading_changes_it_back(
    engine: RawEngine, tiny_model: Path, tmp_path: Path
) -> None:
    adapter = write_adapter(tmp_path / "poet")
    bare = await load(engine, tiny_model, None)
    plain = (await engine.answer(QUESTION, max_tokens=12)).text
    adapted = await load(engine, tiny_model, adapter)
    assert isinstance(adapted, ModelLoaded)
    assert isinstance(bare, ModelLoaded)
    assert adapted.model.adapter == str(adapter)
    assert adapted.model.weights_bytes > bare.model.weights_bytes
    other = (await engine.answer(QUESTION, max_tokens=12)).text
    assert other != plain
    # Dropout must be off: the same question has one greedy answer.
    assert (await engine.answer(QUESTION, max_tokens=12)).text == other
    assert isinstance(await load(engine, tiny_model, None), ModelLoaded)
    assert (await engine.answer(QUESTION, max_tokens=12)).text == plain


async def test_an_adapter_is_billed(engine: RawEngine, tiny_model: Path, tmp_path: Path) -> None:
    adapter = write_adapter(tmp_path / "poet")
    loaded = await load(engine, tiny_model, adapter)
    options = PlanOptions(adapter=str(adapter))
    plan = await engine.ask(Plan(engine.next_id(), str(tiny_model), options))
    assert isinstance(plan, Planned)
    assert isinstance(loaded, ModelLoaded)
    assert plan.plan.weights_bytes == loaded.model.weights_bytes
    assert any("poet" in item.label for item in plan.plan.items)


Damage = Callable[[Path], object]


def reweigh(change: Callable[[dict[str, np.ndarray]], object]) -> Damage:
    def damage(folder: Path) -> None:
        tensors = load_file(folder / "adapters.safetensors")
        change(tensors)
        save_file(tensors, folder / "adapters.safetensors")

    return damage


FIRST = f"model.layers.0.{KEY}.lora_a"
REFUSED: dict[str, Damage] = {
    "no weights": lambda folder: (folder / "adapters.safetensors").unlink(),
    "no configuration": lambda folder: (folder / "adapter_config.json").unlink(),
    "configuration is a list": lambda folder: (folder / "adapter_config.json").write_text("[]"),
    "configuration is empty": lambda folder: (folder / "adapter_config.json").write_text("{}"),
    "half of a pair is missing": reweigh(lambda tensors: tensors.pop(FIRST)),
    "another model's shape": reweigh(
        lambda tensors: tensors.update({FIRST: np.zeros((WIDTH + 1, RANK), np.float32)})
    ),
    "a tensor without a place": reweigh(
        lambda tensors: tensors.update({"model.layers.9.x.lora_a": np.zeros(3, np.float32)})
    ),
    "weights cut": lambda folder: (folder / "adapters.safetensors").write_bytes(b"\x00" * 4),
}


@pytest.mark.parametrize("damage", REFUSED.values(), ids=REFUSED.keys())
async def test_what_does_not_fit_whole_is_refused_and_the_engine_lives(
    engine: RawEngine, tiny_model: Path, tmp_path: Path, damage: Damage
) -> None:
    adapter = write_adapter(tmp_path / "poet")
    damage(adapter)
    failed = await load(engine, tiny_model, adapter)
    assert isinstance(failed, Failed)
    assert failed.kind == "load", failed.message
    assert failed.message[-1] in ".…"
    assert isinstance(await load(engine, tiny_model, None), ModelLoaded)
