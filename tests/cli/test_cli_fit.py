"""`zib fit`: a bill that adds up, an exit code that can be relied on, no MLX in the process."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from engine.plan.device import Device, remember_device
from tests.cli.conftest import RunZib
from tui.widgets.gauge.units import format_bytes

BLOCKS = {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}


@pytest.fixture(autouse=True)
def known_device(home: Path) -> None:
    """As after a first start, so that no test waits for MLX."""
    remember_device(home / ".cache" / "zibaldone" / "engine", Device("cpu", "test", "reference"))


def test_a_small_model_fits_and_the_bill_adds_up(run_zib: RunZib, tiny_model: Path) -> None:
    document = run_zib("fit", str(tiny_model), "--ctx", "512", "--memory", "1", "--json")
    assert (document.returncode, document.stderr) == (0, b"")
    told = json.loads(document.stdout)
    plan = told["plan"]
    assert (told["model"], told["planned_by"]) == ("tiny-llama", "this process")
    assert (told["is_plan_only"], told["problem"]) == (False, "")
    assert (plan["context_tokens"], plan["usable_bytes"]) == (512, 1024**3)
    parts = ("weights", "kv", "transient", "reserve")
    assert sum(plan[f"{part}_bytes"] for part in parts) == plan["total_bytes"]

    table = run_zib("fit", str(tiny_model), "--ctx", "512", "--memory", "1", environment=BLOCKS)
    text = table.stdout.decode()
    assert (table.returncode, table.stderr) == (0, b"")
    assert text.startswith("tiny-llama\n")
    assert "\x1b" not in text
    assert f"{format_bytes(plan['total_bytes'])} of 1.00 GiB" in text
    for part in parts:
        assert format_bytes(plan[f"{part}_bytes"]) in text
    for item in plan["items"]:
        assert item["label"] in text
    for reason in plan["reasons"]:
        assert reason in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    "options",
    [
        ("--ctx", "1000000", "--memory", "0.25"),
        ("--ctx", "512", "--rows", "900", "--memory", "0.01"),
    ],
)
def test_what_does_not_fit_is_exit_code_one(
    run_zib: RunZib, tiny_model: Path, options: tuple[str, ...]
) -> None:
    done = run_zib("fit", str(tiny_model), *options)
    assert (done.returncode, done.stderr) == (1, b"")
    assert "too big" in done.stdout.decode()
    assert "too much" in done.stdout.decode()


def test_a_quantized_cache_costs_less(run_zib: RunZib, tiny_model: Path) -> None:
    sizes = []
    for bits in ((), ("--kv-bits", "8"), ("--kv-bits", "4")):
        done = run_zib("fit", str(tiny_model), "--ctx", "1024", *bits, "--json")
        sizes.append(json.loads(done.stdout)["plan"]["kv_bytes"])
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("fit", "nobody-has-this"), "No model called 'nobody-has-this'"),
        (("fit", "{model}", "--kv-bits", "5"), "--kv-bits is 4 or 8"),
        (("fit", "{model}", "--memory", "0"), "--memory is a number of GiB above 0"),
        (("fit", "{model}", "--memory", "nan"), "--memory is a number of GiB above 0"),
        (("fit", "{model}", "--ctx", "0"), "greater than or equal to 1"),
        (("fit",), "Missing argument"),
    ],
)
def test_wrong_use_is_exit_code_two(
    run_zib: RunZib, tiny_model: Path, arguments: tuple[str, ...], words: str
) -> None:
    done = run_zib(*(argument.format(model=tiny_model) for argument in arguments))
    assert (done.returncode, done.stdout) == (2, b"")
    assert words in " ".join(done.stderr.decode().replace("│", " ").split())


def test_a_draft_model_is_on_the_bill(run_zib: RunZib, tiny_model: Path) -> None:
    plans = []
    for options in ((), ("--draft", str(tiny_model))):
        done = run_zib("fit", str(tiny_model), "--ctx", "512", "--json", *options)
        plans.append(json.loads(done.stdout)["plan"])
    alone, drafted = plans
    assert drafted["weights_bytes"] == 2 * alone["weights_bytes"]
    assert drafted["kv_bytes"] == 2 * alone["kv_bytes"]
    assert sum(item["label"] == "draft model" for item in drafted["items"]) == 2
    unknown = run_zib("fit", str(tiny_model), "--draft", "nothere")
    assert (unknown.returncode, unknown.stdout) == (2, b"")
    assert b"nothere" in unknown.stderr


def test_no_model_yet_is_said_with_what_to_do(run_zib: RunZib) -> None:
    done = run_zib("fit", "SmolLM2")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"zib fetches it when it first opens" in done.stderr


def test_a_model_of_an_unknown_kind_is_no_made_up_number(
    run_zib: RunZib, tiny_model: Path, tmp_path: Path
) -> None:
    odd = tmp_path / "odd"
    shutil.copytree(tiny_model, odd)
    config = json.loads((odd / "config.json").read_text())
    (odd / "config.json").write_text(json.dumps({**config, "model_type": "never-heard"}))
    done = run_zib("fit", str(odd))
    assert done.returncode == 1
    text = done.stdout.decode()
    assert text == ""
    told = done.stderr.decode()
    assert "odd cannot be loaded. It belongs to the family 'never-heard'" in told
    assert "loaded anyway" not in told


def test_a_model_without_weights_is_no_bill_of_nothing(run_zib: RunZib, tmp_path: Path) -> None:
    folder = tmp_path / "streamer"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": "glm_moe_dsa"}))
    done = run_zib("fit", str(folder))
    assert (done.returncode, done.stdout) == (1, b"")
    assert "streamer cannot be loaded. It has no weights" in done.stderr.decode()


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"PYTHONIOENCODING": "ascii"}])
def test_plain_terminals_get_plain_letters(
    run_zib: RunZib, tiny_model: Path, environment: dict[str, str]
) -> None:
    done = run_zib("fit", str(tiny_model), environment={**BLOCKS, **environment})
    assert done.returncode == 0
    assert done.stdout.isascii()
