import sys
from pathlib import Path

import pytest

from engine.worker.blas.private_folder import ensure_private_folder


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder that keeps the shim and the verdicts of earlier tests."""
    folder = tmp_path_factory.mktemp("shared") / "blas"
    ensure_private_folder(folder)
    return folder


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if sys.platform != "linux" and here in item.path.parents:
            item.add_marker(pytest.mark.skip(reason="the CPU path is for Linux"))
