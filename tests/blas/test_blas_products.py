import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.worker.blas.compilation import compiled_shim
from engine.worker.blas.library import find_libraries

pytestmark = pytest.mark.xdist_group("blas")

SERVER = Path(__file__).with_name("product_server.py")
ROW, COLUMN, PLAIN, TURNED = 101, 102, 111, 112

CaseFields = tuple[int, tuple[int, int], tuple[int, int, int], tuple[float, float], int, int]
Ask = Callable[[CaseFields], str]

narrow = st.integers(0, 9)
wide = st.integers(0, 140)
sizes = st.one_of(
    st.tuples(narrow, wide, wide), st.tuples(wide, narrow, wide), st.tuples(wide, wide, wide)
)
scale = st.sampled_from([0.0, 1.0, -1.0, 0.3, 2.5])
cases = st.tuples(
    st.sampled_from([ROW, COLUMN]),
    st.tuples(st.sampled_from([PLAIN, TURNED]), st.sampled_from([PLAIN, TURNED])),
    sizes,
    st.tuples(scale, scale),
    st.integers(0, 5),
    st.integers(0, 2**32 - 1),
)


@pytest.fixture(scope="module", params=[1, 3], ids="{}-threads".format)
def ask(request: pytest.FixtureRequest, shared_cache: Path) -> Iterator[Ask]:
    library = find_libraries(None)[0]
    shim = compiled_shim(shared_cache)
    server = subprocess.Popen(
        [sys.executable, "-P", str(SERVER), str(shim), str(library), str(request.param)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    reading, writing = server.stdout, server.stdin

    def answer(case: CaseFields) -> str:
        writing.write(json.dumps(case) + "\n")
        writing.flush()
        fault = json.loads(reading.readline())
        assert isinstance(fault, str)
        return fault

    with server:
        yield answer
        writing.close()


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(case=cases)
def test_shim_agrees_with_numpy(ask: Ask, case: CaseFields) -> None:
    assert ask(case) == ""


@pytest.mark.parametrize("order", [ROW, COLUMN])
@pytest.mark.parametrize("second", [PLAIN, TURNED])
@pytest.mark.parametrize(
    "shape",
    [
        (1, 49152, 64),
        (1, 1536, 576),
        (2, 4097, 65),
        (8, 3000, 200),
        (5, 64, 4096),
        (9, 2000, 90),
        (700, 65, 90),
        (130, 1537, 64),
    ],
)
def test_shim_agrees_where_helpers_share_the_work(
    ask: Ask, order: int, second: int, shape: tuple[int, int, int]
) -> None:
    m, n, k = shape if order == ROW else (shape[1], shape[0], shape[2])
    transposes = (PLAIN, second) if order == ROW else (second, PLAIN)
    for slack in (0, 3):
        assert ask((order, transposes, (m, n, k), (1.0, 0.0), slack, 1)) == ""
