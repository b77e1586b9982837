from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.engine.harness import RawEngine, raw_engine
from tests.engine.subjects import Subject, mlx_subject, scripted_subject

SCRIPTED = pytest.param("scripted", marks=pytest.mark.xdist_group("engine-scripted"))
TINY = pytest.param("tiny", marks=pytest.mark.xdist_group("engine-tiny"))
BUILTIN = pytest.param(
    "builtin", marks=(pytest.mark.model, pytest.mark.xdist_group("engine-builtin"))
)


@pytest.fixture(scope="module", params=[SCRIPTED, TINY, BUILTIN])
def subject(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> Subject:
    """Every kind of engine in turn."""
    kind = str(request.param)
    if kind == "scripted":
        return scripted_subject(tmp_path_factory.mktemp("scripted"))
    fixture = {"tiny": "tiny_model", "builtin": "builtin_model"}[kind]
    return mlx_subject(kind, request.getfixturevalue(fixture))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_engine(subject: Subject) -> AsyncIterator[RawEngine]:
    """One process for a whole module; tests use conversations of their own."""
    async with raw_engine(subject.launch) as engine:
        await engine.load(subject.model)
        yield engine
