"""Downloads from a hub that breaks in every way it can."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ModelUnavailable
from engine.models.builtin_source import FetchProgress
from engine.models.download import download_model
from engine.models.hub_cache import hub_entries, repository_folder
from engine.models.library import model_at
from tests.models.local_hub import REPOSITORY, Fault, LocalHub, digest, serve
from tests.models.model_folders import COMMIT, write_model

WEIGHTS = "model.safetensors"
SIZE = 3_000_000


@pytest.fixture(scope="module")
def model_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    big = {"w": ("F32", (SIZE // 4,))}
    folder = write_model(tmp_path_factory.mktemp("hub") / "m", tensors=big)
    files = {file.name: file.read_bytes() for file in sorted(folder.iterdir())}
    # Bytes that differ from each other, so that a piece put in the wrong place is noticed.
    files[WEIGHTS] = files[WEIGHTS][:-SIZE] + bytes(range(256)) * (SIZE // 256) + bytes(SIZE % 256)
    unwanted = ["pytorch_model.bin", "modeling.py", "x.gguf", "consolidated.safetensors", "a.pt"]
    return files | dict.fromkeys((*unwanted, "original/model.safetensors"), b"never")


@pytest.fixture
def hub(model_files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalHub]:
    large = frozenset({WEIGHTS, "tokenizer.json"})
    with serve(dict(model_files), large) as running:
        for name in [name for name in os.environ if name.startswith("HF_")]:
            monkeypatch.delenv(name)
        for name, value in running.environment().items():
            monkeypatch.setenv(name, value)
        yield running


async def get(cache: Path, revision: str = "main", **_: Any) -> tuple[Path, list[FetchProgress]]:
    seen: list[FetchProgress] = []
    folder = await download_model(REPOSITORY, cache, seen.append, revision)
    return folder, seen


async def refusal(cache: Path, repository: str = REPOSITORY, revision: str = "main") -> str:
    with pytest.raises(ModelUnavailable) as caught:
        await download_model(repository, cache, lambda _: None, revision)
    return str(caught.value)


def partial(cache: Path, hub: LocalHub) -> Path:
    name = f"{digest(hub.files[WEIGHTS], True)}.zib.incomplete"
    return repository_folder(cache, REPOSITORY) / "blobs" / name


async def test_a_download_is_a_model_of_the_library(hub: LocalHub, tmp_path: Path) -> None:
    folder, seen = await get(tmp_path)
    assert folder == repository_folder(tmp_path, REPOSITORY) / "snapshots" / COMMIT
    assert {file.name for file in folder.iterdir()} == {
        *("README.md", "config.json", "model.safetensors", "tokenizer.json"),
        "tokenizer_config.json",
    }
    for file in folder.iterdir():
        assert file.read_bytes() == hub.files[file.name]
        assert not file.readlink().is_absolute()
    assert (folder.parent.parent / "refs" / "main").read_text() == COMMIT
    (entry,) = hub_entries(tmp_path)
    assert (entry.name, entry.folder, entry.problem) == (REPOSITORY, folder, "")
    total = sum(len(hub.files[file.name]) for file in folder.iterdir())
    assert seen[-1] == FetchProgress("downloading", total, total)
    assert [step.done_bytes for step in seen] == sorted(step.done_bytes for step in seen)
    asked = {request.path.rpartition("/")[2] for request in hub.requests}
    assert not asked & {"modeling.py", "x.gguf", "pytorch_model.bin", "a.pt"}


async def test_huggingface_hub_finds_what_we_put_there(hub: LocalHub, tmp_path: Path) -> None:
    folder, _ = await get(tmp_path)
    from huggingface_hub import scan_cache_dir, snapshot_download

    found = await asyncio.to_thread(
        snapshot_download, REPOSITORY, cache_dir=tmp_path, local_files_only=True
    )
    assert Path(found) == folder
    (repository,) = (await asyncio.to_thread(scan_cache_dir, tmp_path)).repos
    assert repository.repo_id == REPOSITORY
    assert repository.size_on_disk == model_at(folder).bytes_on_disk


async def test_nothing_is_fetched_twice(hub: LocalHub, tmp_path: Path) -> None:
    await get(tmp_path)
    before = len(hub.requests)
    await get(tmp_path)
    assert [request.path for request in hub.requests[before:]] == [
        f"/api/models/{REPOSITORY}/revision/main"
    ]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("fault", ["cut", "503", "500", "429"])
async def test_a_passing_fault_is_outlived(hub: LocalHub, tmp_path: Path, fault: str) -> None:
    hub.faults[WEIGHTS] = Fault(fault, times=2, after=1_000_000)
    folder, _ = await get(tmp_path)
    assert (folder / WEIGHTS).read_bytes() == hub.files[WEIGHTS]
    ranges = [request.byte_range for request in hub.fetched(WEIGHTS)]
    assert ranges == (["", "bytes=1000000-", "bytes=1000000-"] if fault == "cut" else ["", "", ""])


async def test_a_server_without_ranges_starts_over(hub: LocalHub, tmp_path: Path) -> None:
    blob = partial(tmp_path, hub)
    blob.parent.mkdir(parents=True)
    blob.write_bytes(hub.files[WEIGHTS][:12345])
    hub.faults[WEIGHTS] = Fault("no-range", times=1)
    folder, _ = await get(tmp_path)
    assert (folder / WEIGHTS).read_bytes() == hub.files[WEIGHTS]
    assert [request.byte_range for request in hub.fetched(WEIGHTS)] == ["bytes=12345-"]


@pytest.mark.parametrize("kind", ["corrupt", "longer"])
async def test_wrong_bytes_are_thrown_away(hub: LocalHub, tmp_path: Path, kind: str) -> None:
    hub.faults[WEIGHTS] = Fault(kind, times=1)
    folder, _ = await get(tmp_path / "once")
    assert (folder / WEIGHTS).read_bytes() == hub.files[WEIGHTS]
    hub.faults[WEIGHTS] = Fault("corrupt", times=-1)
    assert "arrived damaged twice" in await refusal(tmp_path / "always")
    assert not partial(tmp_path / "always", hub).exists()
    assert not (tmp_path / "always" / "models--org--name" / "snapshots").exists()


async def test_a_small_file_is_checked_too(hub: LocalHub, tmp_path: Path) -> None:
    hub.faults["config.json"] = Fault("corrupt", times=-1)
    assert "config.json of org/name arrived damaged twice" in await refusal(tmp_path)


@pytest.mark.parametrize(
    "kept",
    [b"", b"wrong bytes", b"x" * (SIZE + 10_000)],
    ids=["nothing", "wrong", "too much"],
)
async def test_what_an_earlier_try_left_is_not_trusted(
    hub: LocalHub, tmp_path: Path, kept: bytes
) -> None:
    blob = partial(tmp_path, hub)
    blob.parent.mkdir(parents=True)
    blob.write_bytes(kept)
    folder, _ = await get(tmp_path)
    assert (folder / WEIGHTS).read_bytes() == hub.files[WEIGHTS]


async def test_cancelling_ends_at_once_and_the_next_try_goes_on(
    hub: LocalHub, tmp_path: Path
) -> None:
    hub.faults[WEIGHTS] = Fault("stuck", after=2_000_000)
    running = asyncio.create_task(get(tmp_path))
    await asyncio.to_thread(hub.is_stuck.wait)
    while partial(tmp_path, hub).stat().st_size < 1_900_000:
        await asyncio.sleep(0.01)
    began = time.monotonic()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert time.monotonic() - began < 5
    hub.may_go_on.set()
    (entry,) = hub_entries(tmp_path)
    assert entry.problem.startswith("Its download is unfinished")
    kept = partial(tmp_path, hub).stat().st_size
    folder, _ = await get(tmp_path)
    assert (folder / WEIGHTS).read_bytes() == hub.files[WEIGHTS]
    assert hub.fetched(WEIGHTS)[-1].byte_range == f"bytes={kept}-"
    assert not partial(tmp_path, hub).exists()


async def test_two_at_once_download_once(hub: LocalHub, tmp_path: Path) -> None:
    hub.faults[WEIGHTS] = Fault("stuck", after=1_000_000)
    first = asyncio.create_task(get(tmp_path))
    await asyncio.to_thread(hub.is_stuck.wait)
    waits = asyncio.Event()

    def watch(progress: FetchProgress) -> None:
        if progress.stage == "waiting":
            waits.set()

    second = asyncio.create_task(download_model(REPOSITORY, tmp_path, watch))
    await waits.wait()
    hub.may_go_on.set()
    assert (await first)[0] == await second
    assert len(hub.fetched(WEIGHTS)) == 1


async def test_when_the_first_is_killed_the_waiting_one_goes_on(
    hub: LocalHub, tmp_path: Path
) -> None:
    hub.faults[WEIGHTS] = Fault("stuck", after=1_000_000)
    first = asyncio.create_task(get(tmp_path))
    await asyncio.to_thread(hub.is_stuck.wait)
    second = asyncio.create_task(get(tmp_path))
    while not any(request.path.startswith("/api/") for request in hub.requests[3:]):
        await asyncio.sleep(0.01)
    first.cancel()
    hub.may_go_on.set()
    folder, _ = await second
    assert (folder / WEIGHTS).read_bytes() == hub.files[WEIGHTS]


async def test_a_full_disk_is_known_before(hub: LocalHub, tmp_path: Path) -> None:
    enormous = {"sha256": "a" * 64, "size": 49 * 10**9, "pointerSize": 1}
    for number in range(2000):
        name = f"model-{number:05}.safetensors"
        hub.files[name] = b""
        hub.changed[name] = {"lfs": enormous | {"sha256": f"{number:064x}"}}
    answer = await refusal(tmp_path)
    assert "98000.0 GB are missing" in answer
    assert "HF_HUB_CACHE" in answer
    assert not hub.fetched(WEIGHTS)


async def test_a_gated_model_names_the_page_and_takes_a_token(
    hub: LocalHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.is_gated = True
    answer = await refusal(tmp_path)
    assert f"{hub.endpoint}/{REPOSITORY}" in answer
    assert "HF_TOKEN" in answer
    monkeypatch.setenv("HF_TOKEN", "good")
    folder, _ = await get(tmp_path)
    assert model_at(folder).problem == ""
    to_hub = [r for r in hub.requests if r.path.startswith(f"/{REPOSITORY}")][-1]
    assert to_hub.authorization == "Bearer good"
    elsewhere = [request for request in hub.requests if request.path.startswith("/stored/")]
    assert elsewhere
    assert {request.authorization for request in elsewhere} == {""}


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("403 GatedRepo", "ask for your consent"),
        ("401 RepoNotFound", "shows no such model"),
        ("500", "has trouble of its own (status 500)"),
        ("403", "does not let you read it"),
        ("429", "asks you to wait"),
        ("418", "answered with status 418"),
    ],
)
async def test_what_the_hub_answers_becomes_a_sentence(
    hub: LocalHub, tmp_path: Path, fault: str, said: str
) -> None:
    hub.listing_fault = fault
    answer = await refusal(tmp_path)
    assert answer.startswith("org/name was not downloaded: ")
    assert said in answer
    assert answer.endswith(".")
    assert "\n" not in answer


async def test_other_refusals(
    hub: LocalHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "no such model" in await refusal(tmp_path, "org/other")
    assert "no revision 'v9'" in await refusal(tmp_path, revision="v9")
    for name in ("../x", "org/name/x", "", "org/na\nme", "--help/x"):
        assert "no name of a model" in await refusal(tmp_path, name)
    for revision in ("", "../x", "a..b", "--x", "x.lock", "a b"):
        assert "is no revision" in await refusal(tmp_path, revision=revision)
    (tmp_path / "file").touch()
    assert "cannot be written" in await refusal(tmp_path / "file")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert "HF_HUB_OFFLINE is set" in await refusal(tmp_path)


async def test_a_hub_out_of_reach(
    hub: LocalHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert "http://127.0.0.1:9 cannot be reached" in await refusal(tmp_path)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"config.json": {"rfilename": "conf.json"}}, "holds no model that MLX loads"),
        ({WEIGHTS: {"rfilename": "x.gguf"}}, "zib models import"),
        ({WEIGHTS: {"lfs": {"sha256": "z", "size": 1, "pointerSize": 1}}}, "how to check"),
        ({WEIGHTS: {"lfs": {"sha256": "a" * 64, "size": 10**11, "pointerSize": 1}}}, "hf download"),
        ({"config.json": {"size": 10**12}}, "impossible size"),
        ({"config.json": {"blobId": "../../etc/passwd"}}, "how to check"),
    ],
)
async def test_a_listing_is_not_trusted(
    hub: LocalHub, tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    hub.changed = changes
    assert said in await refusal(tmp_path)


async def test_a_revision_of_its_own(hub: LocalHub, tmp_path: Path) -> None:
    folder, _ = await get(tmp_path, "v1")
    assert (folder.parent.parent / "refs" / "v1").read_text() == COMMIT
    assert not (folder.parent.parent / "refs" / "main").exists()
    again, _ = await get(tmp_path, COMMIT)
    assert again == folder


async def test_a_snapshot_with_holes_is_mended(hub: LocalHub, tmp_path: Path) -> None:
    folder, _ = await get(tmp_path)
    (folder / WEIGHTS).resolve().write_bytes(b"cut")
    (folder / "config.json").unlink()
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer.json").write_text("a stranger's")
    await get(tmp_path)
    for file in folder.iterdir():
        assert file.read_bytes() == hub.files[file.name]
