"""What people and machines read."""

import json

import pytest
from rich.console import Console

from tui.bench import BenchResult, CouldNotRun, Measured, Pair, Target, render, to_json
from tui.bench.figures import compared, sampled

RATIO = compared(
    "decode against mlx-lm",
    [Pair((24.0, 30.0, 27.0), 9.0), Pair((20.0,), 10.0)],
    "tok/s",
    Target(2.2, "at least"),
    "48 tokens",
)
TIME = sampled("first frame", "s", [0.7, 0.6, 0.8], Target(0.5, "at most"))
RESULTS: list[BenchResult] = [
    Measured("decode", (RATIO,), 61.5, others_percent=42.0),
    Measured("first-frame", (TIME,), 4.0),
    CouldNotRun("prefill", "The model \x1b[2Jis \x1b]0;gone\x07 away.", 0.5),
]


def _shown(results: list[BenchResult]) -> str:
    console = Console(width=140, force_terminal=False, color_system=None)
    with console.capture() as capture:
        console.print(render(results))
    return capture.get()


def _row(shown: str, name: str) -> list[str]:
    return next(line for line in shown.splitlines() if line.startswith(name)).split()


def test_each_figure_stands_beside_its_target() -> None:
    shown = _shown(RESULTS)
    assert _row(shown, "decode")[3:] == ["2.50", "2.00", "3.00", "≥", "2.20", "x", "ok"]
    assert _row(shown, "first frame")[2:] == [
        *("0.700", "0.600", "0.800"),
        *("≤", "0.500", "s", "falls", "short"),
    ]
    assert "ours 20.0 to 27.0, theirs 9.0 to 10.0 tok/s; 48 tokens" in shown
    assert "decode: other programs took 42 % of the processor" in shown


def test_what_could_not_run_is_said_aloud_and_harmlessly() -> None:
    shown = _shown(RESULTS)
    assert _row(shown, "prefill") == ["prefill", "could", "not", "run"]
    assert "prefill: The model" in shown
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "Not as it should be: first-frame, prefill." in shown


@pytest.mark.parametrize(
    ("results", "verdict"),
    [(RESULTS[:1], "Every figure meets its target."), ([], "Nothing was measured.")],
)
def test_the_verdict(results: list[BenchResult], verdict: str) -> None:
    assert verdict in _shown(results)


def test_json_holds_every_run() -> None:
    content = json.loads(to_json(RESULTS))
    assert content["passes"] is False
    decode, first_frame, prefill = content["benches"]
    assert decode == {
        "bench": "decode",
        "passes": True,
        "seconds": 61.5,
        "could_not_run": None,
        "others_percent": 42.0,
        "figures": [
            {
                "name": "decode against mlx-lm",
                "unit": "x",
                "measured": 2.5,
                "lowest": 2.0,
                "highest": 3.0,
                "target": 2.2,
                "direction": "at least",
                "passes": True,
                "runs": [3.0, 2.0],
                "pairs": [
                    {"ratio": 3.0, "ours": 27.0, "ours_runs": [24.0, 30.0, 27.0], "theirs": 9.0},
                    {"ratio": 2.0, "ours": 20.0, "ours_runs": [20.0], "theirs": 10.0},
                ],
                "pair_unit": "tok/s",
                "note": "48 tokens",
            }
        ],
    }
    assert first_frame["figures"][0]["runs"] == [0.7, 0.6, 0.8]
    assert first_frame["figures"][0]["pairs"] == []
    assert prefill["could_not_run"].startswith("The model")
    assert (prefill["passes"], prefill["figures"]) == (False, [])


def test_json_passes_with_the_exit_code() -> None:
    assert json.loads(to_json(RESULTS[:1]))["passes"] is True
    assert json.loads(to_json([])) == {"passes": False, "benches": []}
