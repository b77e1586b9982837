"""Caches that outlive the engine: real processes that end in every way there is."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from engine.process import EngineLaunch
from engine.protocol import (
    NO_REQUEST,
    CacheForgotten,
    CacheSaved,
    ForgetCache,
    Generate,
    LoadModel,
    MemoryReport,
    ModelLoaded,
    ModelUnloaded,
    SaveCache,
    Shutdown,
    UnloadModel,
)
from tests.engine.harness import GREEDY, Outcome, RawEngine, raw_engine, talk
from tests.engine.subjects import mlx_launch

pytestmark = pytest.mark.xdist_group("engine-disk")
QUESTION = "Which lens did I settle on for the trip? The 50mm, after trying the zoom. " * 2
SECRET = "Nobody may ever find out that the zoom was far too heavy for the trip. " * 2


def launch(kept: Path) -> EngineLaunch:
    usual = mlx_launch()
    config = msgspec.structs.replace(
        usual.config, disk_tier_dir=str(kept), disk_tier_bytes=64 << 20
    )
    return replace(usual, config=config)


def stored(kept: Path) -> list[Path]:
    """The finished files; nothing else may lie there."""
    files = [path for path in kept.rglob("*") if path.is_file()]
    assert all(file.suffix == ".zibkv" for file in files), files
    return files


async def ask(engine: RawEngine, text: str, chat: str, is_temporary: bool = False) -> Outcome:
    command = Generate(engine.next_id(), talk(text), chat, GREEDY, 6, is_temporary=is_temporary)
    await engine.ask(command)
    return Outcome(engine.of(command.id))


async def until_idle_has_saved(engine: RawEngine) -> MemoryReport:
    async with asyncio.timeout(30):
        while True:
            reports = [report for _, report in engine.reports() if report.disk_tier_entries]
            if reports and not reports[-1].disk_tier_pending_bytes:
                return reports[-1]
            await asyncio.sleep(0.05)


async def end(engine: RawEngine) -> int:
    """As an app does that quits."""
    engine.send(Shutdown(NO_REQUEST))
    await engine.process.writer.drain()
    engine.process.writer.close()
    return await asyncio.wait_for(engine.process.process.wait(), 10)


async def test_a_chat_goes_on_after_its_engine_was_killed_and_after_one_that_quit(
    tiny_model: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    async with raw_engine(launch(kept)) as engine:
        await engine.load(str(tiny_model))
        first = await ask(engine, QUESTION, "chat")
        await ask(engine, SECRET, "hidden", is_temporary=True)
        report = await until_idle_has_saved(engine)
        (file,) = stored(kept)
        assert report.disk_tier_bytes == file.stat().st_size
        engine.process.kill()
    assert kept.stat().st_mode & 0o777 == 0o700
    async with raw_engine(launch(kept)) as engine:
        await engine.load(str(tiny_model))
        again = await ask(engine, QUESTION, "other")
        assert again.finished.usage.reused_tokens == again.finished.usage.prompt_tokens - 1
        assert again.text == first.text
        assert (await ask(engine, SECRET, "hidden", True)).finished.usage.reused_tokens < 32
        await ask(engine, f"{QUESTION} Once more.", "third")
        assert await end(engine) in (0, -9)
    assert len(stored(kept)) == 2


async def test_saving_unloading_and_forgetting(tiny_model: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    async with raw_engine(launch(kept)) as engine:
        await engine.load(str(tiny_model))
        await ask(engine, QUESTION, "one")
        saved = await engine.ask(SaveCache(engine.next_id()))
        assert isinstance(saved, CacheSaved)
        (file,) = stored(kept)
        assert (saved.entries, saved.bytes, saved.is_durable) == (1, file.stat().st_size, True)
        nothing_new = await engine.ask(SaveCache(engine.next_id()))
        assert isinstance(nothing_new, CacheSaved)
        assert nothing_new == CacheSaved(nothing_new.id, 0, 0, True)
        await ask(engine, SECRET, "two")
        assert isinstance(await engine.ask(UnloadModel(engine.next_id())), ModelUnloaded)
        assert len(stored(kept)) == 2
        # The model is gone, its files are not yet.
        gone = await engine.ask(ForgetCache(engine.next_id(), "one"))
        assert isinstance(gone, CacheForgotten)
        assert gone.entries == 1
        assert file not in stored(kept)
        loaded = await engine.ask(LoadModel(engine.next_id(), str(tiny_model)))
        assert isinstance(loaded, ModelLoaded)
        assert (await ask(engine, QUESTION, "one")).finished.usage.reused_tokens < 32
        assert (await ask(engine, SECRET, "two")).finished.usage.reused_tokens >= 32
        for owner in ("one", "two"):
            await engine.ask(ForgetCache(engine.next_id(), owner))
        assert not stored(kept)
        await end(engine)
    assert not stored(kept)
