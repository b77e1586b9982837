"""`zib models` as a process: what a person and what a script sees."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from engine.models.hub_cache import repository_folder
from engine.models.library import model_at
from tests.models.local_hub import REPOSITORY, Fault, LocalHub, digest, serve
from tests.models.model_folders import LLAMA, write_hub_model, write_model
from tests.models.tiny_gguf import TinyLlama

COMMAND = (sys.executable, "-P", "-m", "tui")
WEIGHTS = "model.safetensors"


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    return {**kept, "HOME": str(home), "COLUMNS": "140"}


@pytest.fixture
def models_dir(home: Path) -> Path:
    return home / ".local" / "share" / "zibaldone" / "models"


@pytest.fixture
def hub_cache(home: Path) -> Path:
    return home / ".cache" / "huggingface" / "hub"


@pytest.fixture
def hub(tmp_path: Path, environment: dict[str, str]) -> Iterator[LocalHub]:
    folder = write_model(tmp_path / "served", tensors={"w": ("F32", (500_000,))})
    files = {file.name: file.read_bytes() for file in folder.iterdir()}
    with serve(files, frozenset({WEIGHTS})) as running:
        environment |= running.environment()
        yield running


def run(
    environment: Mapping[str, str], *arguments: str, answer: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, "models", *arguments],
        input=answer,
        capture_output=True,
        check=False,
        env=environment,
        timeout=120,
    )


def test_a_machine_without_models_lists_the_built_in_one(environment: dict[str, str]) -> None:
    done = run(environment)
    assert (done.returncode, done.stderr) == (0, b"")
    heading, row = done.stdout.decode().splitlines()
    assert heading.split() == [
        *("model", "on", "disk", "size", "weights", "context", "can", "licence", "memory")
    ]
    assert row.split()[0] == "SmolLM2-135M-Instruct"
    assert row.strip().endswith("not fetched yet")


def test_the_list_says_what_each_is_and_what_is_wrong(
    environment: dict[str, str], models_dir: Path, hub_cache: Path, tiny_model: Path
) -> None:
    models_dir.mkdir(parents=True)
    (models_dir / "tiny").symlink_to(tiny_model)
    write_hub_model(hub_cache, "org/pictures", config={**LLAMA, "vision_config": {}})
    write_model(models_dir / "\x1b[31mred[bold]", {"model_type": "whisper"})
    done = run(environment, "list")
    text = done.stdout.decode()
    assert done.returncode == 0
    assert "\x1b" not in text
    assert re.search(r"^tiny .* 512 .*(fits|tight)", text, re.MULTILINE)
    assert re.search(r"^org/pictures .* vision\* .* apache-2\.0", text, re.MULTILINE)
    assert "* Made for pictures too, which cannot be given to it yet." in text
    assert "red[bold]" in text
    assert "It belongs to the family 'whisper', which this version cannot run." in text


def test_the_list_for_machines(
    environment: dict[str, str], models_dir: Path, tiny_model: Path
) -> None:
    models_dir.mkdir(parents=True)
    (models_dir / "tiny").symlink_to(tiny_model)
    write_model(models_dir / os.fsdecode(b"caf\xe9"))
    done = run(environment, "list", "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    rows = {row["name"]: row for row in json.loads(done.stdout)["models"]}
    assert set(rows) == {"SmolLM2-135M-Instruct", "tiny", "caf?"}
    tiny = rows["tiny"]
    assert tiny["parameters"] > 10_000
    assert (tiny["source"], tiny["context_window"]) == ("models-folder", 512)
    assert tiny["plan"]["total_bytes"] > tiny["plan"]["weights_bytes"] > 0
    assert rows["SmolLM2-135M-Instruct"]["plan"] is None


def test_get_prints_the_folder_and_nothing_else(
    environment: dict[str, str], hub: LocalHub, hub_cache: Path
) -> None:
    done = run(environment, "get", REPOSITORY)
    assert done.returncode == 0
    folder = Path(done.stdout.decode().strip())
    assert folder.parent == repository_folder(hub_cache, REPOSITORY) / "snapshots"
    assert model_at(folder).problem == ""
    assert f"Chat with it: zib --model {REPOSITORY}" in done.stderr.decode()
    again = run(environment, "get", f"https://huggingface.co/{REPOSITORY}/")
    assert again.stdout == done.stdout
    assert len(hub.fetched(WEIGHTS)) == 1


def test_get_says_why_not(environment: dict[str, str], hub: LocalHub) -> None:
    hub.is_gated = True
    done = run(environment, "get", REPOSITORY)
    assert (done.returncode, done.stdout) == (1, b"")
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith(f"zib: {REPOSITORY} was not downloaded: ")
    assert f"{hub.endpoint}/{REPOSITORY}" in line
    assert run(environment, "get", "nonsense name").returncode == 1
    assert run(environment, "get").returncode == 2
    assert run(environment | {"ZIB_CHAT_TOP_P": "9"}, "get", REPOSITORY).returncode == 2


def test_ctrl_c_leaves_what_a_second_try_goes_on_from(
    environment: dict[str, str], hub: LocalHub, hub_cache: Path
) -> None:
    hub.faults[WEIGHTS] = Fault("stuck", after=1_500_000)
    with subprocess.Popen(
        [*COMMAND, "models", "get", REPOSITORY],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        start_new_session=True,
    ) as process:
        part = repository_folder(hub_cache, REPOSITORY) / "blobs"
        part /= f"{digest(hub.files[WEIGHTS], True)}.zib.incomplete"
        hub.is_stuck.wait()
        while part.stat().st_size < 1_400_000:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=20)
    hub.may_go_on.set()
    assert process.returncode == 130
    assert said.decode() == f"zib: Stopped. `zib models get {REPOSITORY}` goes on from here.\n"
    kept = part.stat().st_size
    listed = run(environment, "list").stdout.decode()
    assert f"`zib models get {REPOSITORY}` goes on with it." in listed
    assert run(environment, "get", REPOSITORY).returncode == 0
    assert hub.fetched(WEIGHTS)[-1].byte_range == f"bytes={kept}-"


def test_killed_hard_it_leaves_no_process_and_no_lock(
    environment: dict[str, str], hub: LocalHub
) -> None:
    hub.faults[WEIGHTS] = Fault("stuck", after=1_500_000)
    with subprocess.Popen([*COMMAND, "models", "get", REPOSITORY], env=environment) as process:
        hub.is_stuck.wait()
        process.kill()
    # Unless the downloading child is gone, its lock makes this wait until the server goes on.
    done = run(environment, "get", REPOSITORY)
    assert done.returncode == 0
    assert not hub.may_go_on.is_set()


def test_a_gguf_file_becomes_a_model(
    environment: dict[str, str], models_dir: Path, tmp_path: Path
) -> None:
    gguf = tmp_path / "Tiny.gguf"
    TinyLlama().write(gguf)
    done = run(environment, "import", str(gguf), "--name", "me/tiny")
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.decode().strip()) == models_dir / "me" / "tiny"
    assert model_at(models_dir / "me" / "tiny").problem == ""
    again = run(environment, "import", str(gguf), "--name", "me/tiny")
    assert again.returncode == 1
    assert "exists already" in again.stderr.decode()


def test_a_folder_is_linked(
    environment: dict[str, str], models_dir: Path, tiny_model: Path, tmp_path: Path
) -> None:
    done = run(environment, "import", str(tiny_model))
    assert done.returncode == 0, done.stderr
    assert (models_dir / tiny_model.name).resolve() == tiny_model
    assert "Linked: the files stay in" in done.stderr.decode()
    removed = run(environment, "remove", tiny_model.name, "--yes")
    assert removed.returncode == 0
    assert "only the link" in removed.stderr.decode()
    assert model_at(tiny_model).problem == ""


def test_nothing_is_put_into_another_model(
    environment: dict[str, str], models_dir: Path, tiny_model: Path
) -> None:
    before = sorted(tiny_model.iterdir())
    assert run(environment, "import", str(tiny_model), "--name", "org").returncode == 0
    done = run(environment, "import", str(tiny_model), "--name", "org/inner")
    assert done.returncode == 1
    assert f"{models_dir / 'org'} is a model" in done.stderr.decode()
    assert sorted(tiny_model.iterdir()) == before


@pytest.mark.parametrize(
    ("make", "arguments", "said"),
    [
        ("nothing", (), "does not exist; give a GGUF file"),
        ("folder", (), "was not imported"),
        ("text", (), "not a GGUF file"),
        ("text", ("--name", "../up"), "cannot be a model's name"),
        ("text", ("--name", "a/b/c"), "cannot be a model's name"),
        ("text", ("--name", "/abs"), "cannot be a model's name"),
        ("text", ("--name", "x" * 5000), "x…' cannot be a model's name"),
    ],
)
def test_what_cannot_be_imported(
    environment: dict[str, str],
    tmp_path: Path,
    models_dir: Path,
    make: str,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    source = tmp_path / "source.gguf"
    if make == "folder":
        source = tmp_path / "source"
        source.mkdir()
    elif make == "text":
        source.write_text("not a model")
    done = run(environment, "import", str(source), *arguments)
    assert (done.returncode, done.stdout) == (1, b"")
    assert said in done.stderr.decode()
    assert list(models_dir.iterdir()) == [] or all(
        path.name.startswith(".") for path in models_dir.iterdir()
    )


def test_remove_asks_first(environment: dict[str, str], models_dir: Path) -> None:
    folder = write_model(models_dir / "org" / "one")
    done = run(environment, "remove", "one", answer=b"y\n")
    assert done.returncode == 2
    assert "give --yes" in done.stderr.decode()
    assert folder.is_dir()
    for keys, status, is_left in ((b"n\n", 1, True), (b"\n", 1, True), (b"y\n", 0, False)):
        shown, code = in_terminal(environment, keys, "remove", "one")
        assert (code, folder.is_dir()) == (status, is_left)
        assert "Remove it? [y/N]" in shown
        assert str(folder) in shown


def test_remove_takes_only_what_it_is_sure_of(
    environment: dict[str, str], models_dir: Path, tmp_path: Path
) -> None:
    for name in ("alpha-1", "alpha-2", "SmolLM2-135M-Instruct"):
        write_model(models_dir / name)
    outside = write_model(tmp_path / "mine")
    for wanted, said in (
        ("alpha", "may mean alpha-1, alpha-2"),
        ("beta", "No model called"),
        ("b" * 300, "No model called"),
        ("b" * 5000, "5,000 letters"),
        (f"/{'b' * 300}", "so it is not touched"),
        ("smol", "give its whole name"),
        (str(outside), "delete the folder yourself"),
    ):
        done = run(environment, "remove", wanted, "--yes")
        assert done.returncode == 1, wanted
        assert said in done.stderr.decode()
    assert outside.is_dir()
    assert len(list(models_dir.iterdir())) == 3
    assert run(environment, "remove", "SmolLM2-135M-Instruct", "-y").returncode == 0
    assert run(environment, "remove", "ALPHA-1", "-y").returncode == 0
    assert [path.name for path in models_dir.iterdir() if path.name[0] != "."] == ["alpha-2"]


def test_a_bar_on_a_terminal(environment: dict[str, str], hub: LocalHub) -> None:
    shown, code = in_terminal(environment | {"TERM": "xterm"}, b"", "get", REPOSITORY)
    assert code == 0
    assert REPOSITORY in shown
    assert re.search(r"\d/2\.\d MB", shown)


def in_terminal(environment: Mapping[str, str], keys: bytes, *arguments: str) -> tuple[str, int]:
    """Run on a pseudo-terminal; returns what it showed and the exit status."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, "models", *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        os.write(ours, keys)
        shown = b""
        while True:
            ready, _, _ = select.select([ours], [], [], 60)
            assert ready, shown
            try:
                shown += (piece := os.read(ours, 4096))
            except OSError:
                break
            if not piece:
                break
    os.close(ours)
    return shown.decode(errors="replace"), process.returncode
