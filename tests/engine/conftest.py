from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.engine.harness import RawEngine, raw_engine
from tests.engine.subjects import Subject, mlx_subject, scripted_subject

SCRIPTED = pytest.param("scripted", marks=pytest.mark.xdist_group("engine-scripted"))
TINY = pytest.param("tiny", marks=pytest.mark.xdist_group("engine-tiny"))


@pytest.fixture(scope="module", params=[SCRIPTED, TINY])
def subject(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, tiny_model: Path
) -> Subject:
    """Both quick engines in turn."""
    if request.param == "scripted":
        return scripted_subject(tmp_path_factory.mktemp("scripted"))
    return mlx_subject("tiny", tiny_model)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_engine(subject: Subject) -> AsyncIterator[RawEngine]:
    """One process for a whole module; tests use conversations of their own."""
    async with raw_engine(subject.launch) as engine:
        await engine.load(subject.model)
        yield engine
