import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.xdist_group("blas")

PROBE = Path(__file__).with_name("precision_probe.py")


def probed(cache: Path, setting: str, usable: str) -> dict[str, Any]:
    arguments = [sys.executable, "-P", str(PROBE), str(cache), setting, usable]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


@pytest.fixture(scope="module")
def reference(shared_cache: Path) -> dict[str, Any]:
    """MLX's own BLAS and quantized kernels, all in float32."""
    return probed(shared_cache, "off", "all")


@pytest.fixture(scope="module")
def expanded(shared_cache: Path) -> dict[str, Any]:
    return probed(shared_cache, "", "all")


def test_expanded_model_says_the_same(expanded: dict[str, Any], reference: dict[str, Any]) -> None:
    assert (reference["is_fast"], expanded["is_fast"]) == (False, True)
    for model in ("quantized", "half"):
        assert len(set(reference[model]["tokens"])) > 3
        assert expanded[model]["tokens"] == reference[model]["tokens"]
        assert expanded[model]["types"] == ["float32"]
        assert expanded[model]["bytes"] == expanded[model]["held"]
    assert expanded["quantized"]["bytes"] == expanded["half"]["bytes"]
    assert expanded["switch_error"] < 1e-4
    assert expanded["head"] == "Linear"


def test_slow_path_stays_quantized(reference: dict[str, Any]) -> None:
    assert reference["quantized"]["types"] == ["float32", "uint32"]
    assert reference["half"]["types"] == ["float32"]
    assert reference["quantized"]["bytes"] < reference["half"]["bytes"] / 4


def test_model_that_does_not_fit_stays_small_and_right(
    shared_cache: Path, reference: dict[str, Any]
) -> None:
    tight = probed(shared_cache, "", "none")
    assert tight["quantized"]["tokens"] == reference["quantized"]["tokens"]
    assert tight["quantized"]["bytes"] == reference["quantized"]["bytes"]
    assert tight["quantized"]["types"] == ["float32", "uint32"]
    assert tight["half"]["types"] == ["float16"]
    assert "does not fit" in tight["half"]["description"]
    assert 1 <= tight["expansions_alive"] < 3
    assert tight["switch_error"] < 1e-4
    assert tight["head"] == "QuantizedLinear"


@pytest.mark.parametrize("missing", [0, 1])
def test_fit_is_decided_to_the_byte(
    shared_cache: Path, expanded: dict[str, Any], missing: int
) -> None:
    enough = expanded["quantized"]["bytes"]
    answer = probed(shared_cache, "", str(enough - missing))
    for model, loose in (("quantized", "uint32"), ("half", "float16")):
        assert (loose in answer[model]["types"]) is bool(missing)
