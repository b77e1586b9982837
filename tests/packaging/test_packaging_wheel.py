"""The wheel holds what the program needs, and runs from any folder without the repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {"tui", "engine", "vault", "themes"}
NEEDED = (
    "tui/app.tcss",
    "engine/worker/blas/shim.c",
    "vault/seed/README.md",
    "vault/seed/gitignore",
)
FACTS = """
import engine, themes, tui.app, vault
from pathlib import Path
from tui.app import ZibApp
from tui.themes import builtin_themes_dir, load_themes
print(*(Path(next(iter(package.__path__))).parent for package in (tui, engine, vault, themes)))
print(*sorted(load_themes([builtin_themes_dir()]).themes))
print(Path(tui.app.__file__).with_name(ZibApp.CSS_PATH).is_file())
"""


def tracked_files() -> list[str]:
    """What git knows of and is there."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=True
    )
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a clone would hold."""
    clone = tmp_path_factory.mktemp("clone")
    for name in tracked_files():
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, clone / name)
    return clone


@pytest.fixture(scope="module")
def wheel(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built without a network."""
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    done = subprocess.run(command, cwd=clone, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel installed beside the environment, without what it depends on."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*command, "--target", str(folder), str(wheel)], check=True)
    return folder


def run_installed(
    site: Path, folder: Path, *arguments: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Python over the installed wheel, from a folder that is not the repository."""
    return subprocess.run(
        [sys.executable, "-P", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(site), **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_wheel_holds_every_file_of_the_packages_and_nothing_else(
    wheel: Path, clone: Path
) -> None:
    held = {name for name in zipfile.ZipFile(wheel).namelist() if not name.endswith("/")}
    program = {name for name in held if ".dist-info/" not in name}
    files = [file for package in PACKAGES for file in (clone / package).rglob("*")]
    assert program == {str(file.relative_to(clone)) for file in files if file.is_file()}
    assert held >= set(NEEDED)
    assert any(name.startswith("vault/seed/articles/") for name in held)
    assert {name for name in held if name.endswith(".toml")} == {
        "engine/recommended.toml",
        "themes/zibaldone-dark.toml",
        "themes/zibaldone-light.toml",
    }
    assert not any(name.rsplit("/", 1)[-1].startswith("test_") for name in program)


def test_the_wheel_tells_its_needs_and_its_command(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        texts = {
            name.rsplit("/", 1)[-1]: archive.read(name).decode() for name in archive.namelist()
        }
    assert "zib = tui.__main__:main" in texts["entry_points.txt"]
    assert "MIT" in texts["LICENSE"]
    needs = [line for line in texts["METADATA"].splitlines() if line.startswith("Requires-Dist: ")]
    assert any(line.startswith("Requires-Dist: mlx<") for line in needs)
    assert not any("://" in line or " @ " in line for line in needs)


def test_the_installed_program_is_whole(site: Path, tmp_path: Path) -> None:
    done = run_installed(site, tmp_path, "-c", FACTS)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        " ".join([str(site)] * 4),
        "zibaldone-dark zibaldone-light",
        "True",
    ]


def test_the_installed_program_runs_from_any_folder(site: Path, tmp_path: Path, home: Path) -> None:
    done = run_installed(site, tmp_path, "-m", "tui", "paths", COLUMNS="200")
    assert (done.returncode, done.stderr) == (0, "")
    assert str(home) in done.stdout
    assert (site / "bin" / "zib").is_file()


def test_the_installed_program_answers(site: Path, tmp_path: Path, tiny_model: Path) -> None:
    variables = {"ZIB_MODEL": str(tiny_model), "ZIB_BLAS": "off", "ZIB_CHAT_MAX_TOKENS": "4"}
    done = run_installed(site, tmp_path, "-m", "tui", "ask", "hi", **variables)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout
