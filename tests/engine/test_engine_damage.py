"""Model folders that are damaged, foreign or wrong inside: a sentence, and the engine goes on."""

from __future__ import annotations

import json
import resource
import shutil
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
import pytest_asyncio
from safetensors.numpy import load_file, save_file

from engine.protocol import Failed, Generate, LoadModel, MemoryReport, TextDelta
from tests.engine.harness import GREEDY, RawEngine, raw_engine, talk
from tests.engine.subjects import mlx_launch

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.xdist_group("engine-tiny"),
]
Damage = Callable[[Path], object]
Weights = dict[str, np.ndarray[Any, Any]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine() -> AsyncIterator[RawEngine]:
    async with raw_engine(mlx_launch()) as engine:
        yield engine


def configure(**changes: object) -> Damage:
    """Change entries of config.json; None removes one."""

    def damage(folder: Path) -> None:
        config = json.loads((folder / "config.json").read_text()) | changes
        kept = {key: value for key, value in config.items() if value is not None}
        (folder / "config.json").write_text(json.dumps(kept))

    return damage


def reweigh(change: Callable[[Weights], object]) -> Damage:
    """Change the weights in place."""

    def damage(folder: Path) -> None:
        weights = load_file(folder / "model.safetensors")
        change(weights)
        save_file(weights, folder / "model.safetensors", metadata={"format": "mlx"})

    return damage


def replace(name: str, change: Callable[[bytes], bytes]) -> Damage:
    """Change the bytes of a file."""

    def damage(folder: Path) -> None:
        (folder / name).write_bytes(change((folder / name).read_bytes()))

    return damage


def remove(name: str) -> Damage:
    return lambda folder: (folder / name).unlink()


UNLOADABLE: dict[str, Damage] = {
    "no weights": remove("model.safetensors"),
    "no tokenizer": remove("tokenizer.json"),
    "unsupported family": configure(model_type="antigravity"),
    "family with a path": configure(model_type="../../os"),
    "no family": configure(model_type=None),
    "family is a number": configure(model_type=7),
    "own code": configure(model_file="evil.py"),
    "no layers": configure(num_hidden_layers=None),
    "width is text": configure(hidden_size="wide"),
    "no heads": configure(num_attention_heads=0),
    "other width": configure(hidden_size=32),
    "other vocabulary": configure(vocab_size=10),
    "weights cut in the data": replace("model.safetensors", lambda data: data[:-5000]),
    "weights cut in the header": replace("model.safetensors", lambda data: data[:40]),
    "weights empty": replace("model.safetensors", lambda _: b""),
    "weights are noise": replace("model.safetensors", lambda data: b"\xff" * len(data)),
    "weights are a web page": replace("model.safetensors", lambda _: b"<!DOCTYPE html>" * 99),
    "tokenizer cut": replace("tokenizer.json", lambda data: data[:500]),
    "tokenizer is a list": replace("tokenizer.json", lambda _: b"[]"),
    "one weight missing": reweigh(lambda weights: weights.pop("lm_head.weight")),
    "one weight too many": reweigh(lambda weights: weights.update(extra=np.zeros(3, np.float32))),
    "broken generation settings": lambda folder: (folder / "generation_config.json").write_text(
        "{"
    ),
}


@pytest.fixture
def folder(tiny_model: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_model, tmp_path / "damaged"))


@pytest.mark.parametrize("damage", UNLOADABLE.values(), ids=UNLOADABLE.keys())
async def test_what_cannot_be_loaded_is_said_in_a_sentence(
    engine: RawEngine, folder: Path, damage: Damage
) -> None:
    damage(folder)
    pid = engine.process.process.pid
    failed = await engine.ask(LoadModel(engine.next_id(), str(folder)))
    assert isinstance(failed, Failed), failed
    if failed.kind == "over-budget":
        # A configuration that cannot be planned may be tried all the same.
        assert failed.message[-1] in ".…"
        failed = await engine.ask(LoadModel(engine.next_id(), str(folder), is_forced=True))
        assert isinstance(failed, Failed), failed
    assert failed.kind == "load"
    assert len(failed.message) < 700
    assert "\n" not in failed.message
    assert failed.message[-1] in ".…"
    assert engine.process.process.pid == pid


async def test_a_good_model_loads_after_all_that(engine: RawEngine, tiny_model: Path) -> None:
    await engine.load(str(tiny_model))
    assert (await engine.answer("hello", max_tokens=3)).finished.reason == "length"


def fill(value: float, *names: str) -> Callable[[Weights], None]:
    def change(weights: Weights) -> None:
        for name in names:
            weights[name][...] = value

    return change


INSANE = {
    "not numbers": (fill(float("nan"), "model.norm.weight"), "no usable numbers"),
    "infinite": (fill(float("inf"), "lm_head.weight"), "no usable numbers"),
    "all the same": (fill(0.0, "lm_head.weight"), "no usable numbers"),
    "one token for ever": (fill(0.5, "model.embed_tokens.weight"), "round in circles"),
}


@pytest.mark.parametrize(("change", "message"), INSANE.values(), ids=INSANE.keys())
async def test_senseless_output_is_stopped(
    engine: RawEngine,
    folder: Path,
    tiny_model: Path,
    change: Callable[[Weights], None],
    message: str,
) -> None:
    reweigh(change)(folder)
    await engine.load(str(folder))
    command = Generate(engine.next_id(), talk("hello"), "chat", GREEDY)
    failed = await engine.ask(command)
    assert isinstance(failed, Failed), failed
    assert failed.kind == "internal"
    assert message in failed.message
    pieces = [event for event in engine.of(command.id) if isinstance(event, TextDelta)]
    assert len(pieces) <= 256
    known = len(engine.reports())
    await engine.until(MemoryReport, count=known + 1)
    assert engine.reports()[-1][1].rows_running == 0
    await engine.load(str(tiny_model))
    assert (await engine.answer("hello", max_tokens=3)).finished.reason == "length"


async def test_a_tokenizer_of_another_model_is_refused(
    engine: RawEngine, folder: Path, thinking_model: Path, tiny_model: Path
) -> None:
    shutil.copy(thinking_model / "tokenizer.json", folder)
    shutil.copy(thinking_model / "tokenizer_config.json", folder)
    await engine.load(str(folder))
    command = Generate(engine.next_id(), talk("hello"), "", GREEDY, 3, thinking=False)
    failed = await engine.ask(command)
    assert isinstance(failed, Failed)
    assert "do not belong together" in failed.message
    await engine.load(str(tiny_model))


async def test_a_template_that_fails_ends_only_the_request(engine: RawEngine, folder: Path) -> None:
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    settings["chat_template"] = "{{ ''.__class__.__mro__ }}{% if %}"
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    await engine.load(str(folder))
    failed = await engine.ask(Generate(engine.next_id(), talk("hello")))
    assert isinstance(failed, Failed)
    assert failed.kind == "bad-request"
    assert "template" in failed.message


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits address space so")
async def test_threads_reserve_little_address_space(tiny_model: Path) -> None:
    async with raw_engine(mlx_launch()) as limited:
        pid = limited.process.process.pid
        ceiling = psutil.Process(pid).memory_info().vms + 160 * 1024**2
        resource.prlimit(pid, resource.RLIMIT_AS, (ceiling, ceiling))
        await limited.load(str(tiny_model))
        assert (await limited.answer("hello", max_tokens=3)).finished.reason == "length"
