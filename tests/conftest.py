"""Fixtures for every part: private folders and model folders."""

import os
import signal
from pathlib import Path

import pytest

from tests.models_fixture import fetch_builtin_model
from tests.sampling_of_sweeps import choose, seed_of_run
from tests.tiny_model import write_tiny_model

if "PYTEST_XDIST_WORKER" in os.environ:
    # Each test process has one core; more spinning threads than cores are many times slower.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell that runs the tests in the background has children ignore Ctrl+C, and theirs too.
    signal.signal(signal.SIGINT, signal.default_int_handler)

KEPT_VARIABLES = {"ZIB_HARDEN", "ZIB_CORPORA", "ZIB_TEST_CACHE"}
IS_WHOLE = os.environ.get("ZIB_HARDEN") == "1"


def pytest_configure() -> None:
    """Choose before other processes of the run are started."""
    seed_of_run()


def pytest_report_header() -> str:
    """Say which cases of sweeps run."""
    if IS_WHOLE:
        return "sweeps: every case"
    return f"sweeps: some cases each, chosen by SWEEP_SEED={seed_of_run()}; make harden runs all"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave cases of sweeps out, unless a case was asked for by its name."""
    if IS_WHOLE or any("[" in argument for argument in config.args):
        return
    items[:], left_out = choose(items, seed_of_run())
    if left_out:
        config.hook.pytest_deselected(items=left_out)


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the test's own: nothing of the person running the tests is read or written."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name, folder in {
        "XDG_CONFIG_HOME": ".config",
        "XDG_DATA_HOME": ".local/share",
        "XDG_STATE_HOME": ".local/state",
        "XDG_CACHE_HOME": ".cache",
        "XDG_RUNTIME_DIR": ".run",
    }.items():
        monkeypatch.setenv(name, str(home / folder))
    for name in tuple(os.environ):
        if name.startswith("ZIB_") and name not in KEPT_VARIABLES:
            monkeypatch.delenv(name)
    return home


@pytest.fixture(scope="session")
def builtin_model() -> Path:
    """The real built-in model, fetched and converted once for all test runs."""
    return fetch_builtin_model()


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A llama with random weights and a real tokenizer; answers in microseconds, in nonsense."""
    return write_tiny_model(tmp_path_factory.mktemp("models") / "tiny-llama")


@pytest.fixture(scope="session")
def thinking_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with <think> and <tool_call> tokens and a template that knows of thinking."""
    return write_tiny_model(tmp_path_factory.mktemp("models") / "tiny-thinker", thinks=True)
