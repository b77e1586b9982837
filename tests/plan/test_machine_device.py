"""What MLX computes on, asked of a real child process."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from engine.plan.device import Device, known_device, remember_device
from engine.plan.machine_device import DeviceUnknown, device_facts


async def test_a_child_tells_once_and_then_it_is_remembered(tmp_path: Path) -> None:
    device = await device_facts(tmp_path, "off")
    assert device == known_device(tmp_path)
    assert device.name
    if device.backend == "cpu":
        assert device.compute == "reference"
        assert 1e8 < device.bandwidth < 1e12
    remember_device(tmp_path, Device("metal", "Apple M9", "metal"))
    assert (await device_facts(tmp_path)).name == "Apple M9"


async def test_a_module_run_by_hand_prints_one_line_of_json(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        "engine.worker.device",
        str(tmp_path),
        "off",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    printed = await process.stdout.read()
    assert await process.wait() == 0
    assert printed.count(b"\n") == 1
    assert json.loads(printed)["backend"] in {"metal", "cuda", "cpu"}


async def test_it_says_so_when_the_answer_takes_too_long(tmp_path: Path) -> None:
    with pytest.raises(DeviceUnknown, match="did not say within"):
        await device_facts(tmp_path, seconds=0.01)
    assert known_device(tmp_path) is None


async def test_a_child_that_fails_is_quoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "path"
    (broken / "mlx").mkdir(parents=True)
    (broken / "mlx" / "__init__.py").write_text("raise ImportError('no MLX today')")
    monkeypatch.setenv("PYTHONPATH", str(broken))
    with pytest.raises(DeviceUnknown, match="no MLX today"):
        await device_facts(tmp_path / "cache", "off")


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b'{"backend": "abacus"}'])
async def test_a_damaged_memory_of_it_is_asked_anew(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "device.json").write_bytes(content)
    assert known_device(tmp_path) is None
    if not content:
        assert (await device_facts(tmp_path, "off")) == known_device(tmp_path)
