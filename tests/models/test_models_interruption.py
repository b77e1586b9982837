"""A conversion that is killed leaves nothing that looks like a model."""

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.models.manifest import is_whole, read_manifest
from tests.models.conftest import Convert
from tests.models.tiny_gguf import TinyLlama

ROUNDS = 6
LONGEST_SECONDS = 1.5


def start_converter(
    source: Path, destination: Path, prefix: Sequence[str] = ()
) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*prefix, sys.executable, "-P", "-m", "engine.worker.gguf_import", source, destination],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.model
@pytest.mark.xdist_group("real-model")
def test_killed_at_random_moments(tmp_path: Path, original_gguf: Path, convert: Convert) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")  # noqa: T201 - shown by pytest when the test fails
    moments = random.Random(seed)
    destination = tmp_path / "model"
    for _ in range(ROUNDS):
        with start_converter(original_gguf, destination) as converter:
            time.sleep(moments.uniform(0.1, LONGEST_SECONDS))
            converter.kill()
        if destination.exists():
            manifest = read_manifest(destination)
            assert manifest is not None
            assert is_whole(destination, manifest)
            shutil.rmtree(destination)
    assert convert(original_gguf, destination) == "converted"
    left = {entry.name for entry in tmp_path.iterdir() if not entry.name.endswith(".lock")}
    assert left == {"model"}


@pytest.mark.model
@pytest.mark.xdist_group("real-model")
def test_ends_with_its_parent(tmp_path: Path, original_gguf: Path) -> None:
    with start_converter(original_gguf, tmp_path / "model") as converter:
        assert converter.stdin is not None
        assert converter.stdout is not None
        assert converter.stdout.readline().startswith("progress ")
        converter.stdin.close()
        assert converter.wait(timeout=2) == 1
    assert not (tmp_path / "model").exists()


def test_a_file_that_may_not_be_written_is_converted_too(tmp_path: Path) -> None:
    # root obeys a file's permissions only without the capability to override them.
    prefix = ["setpriv", "--bounding-set=-dac_override"] if os.geteuid() == 0 else []
    if prefix and shutil.which(prefix[0]) is None:
        pytest.skip("root cannot give up its capabilities here")
    source = TinyLlama().write(tmp_path / "tiny.gguf")
    source.chmod(0o444)
    writable = subprocess.run([*prefix, "test", "-w", source], check=False).returncode
    assert writable == 1
    with start_converter(source, tmp_path / "model", prefix) as converter:
        assert converter.stdout is not None
        assert converter.stdout.read().splitlines()[-1] == "converted"
    assert {path.name for path in (tmp_path / "model").iterdir()} == {
        "config.json",
        "generation_config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
        "zibaldone.json",
    }


def test_leftovers_of_dead_converters_are_removed(tmp_path: Path, convert: Convert) -> None:
    source = TinyLlama().write(tmp_path / "tiny.gguf")
    leftover = tmp_path / ".model.converting-dead"
    leftover.mkdir()
    (leftover / "model.safetensors").write_bytes(b"half")
    assert convert(source, tmp_path / "model") == "converted"
    assert not leftover.exists()
