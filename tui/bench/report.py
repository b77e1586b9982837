"""Results for people and for machines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import assert_never

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tui.bench.figures import BenchResult, CouldNotRun, Figure, Measured, Pair, exit_code
from tui.text.sanitise import to_display

BUSY_PERCENT = 15.0


def render(results: Sequence[BenchResult]) -> RenderableType:
    """Each figure beside its target, then what else is to say about them, then the verdict."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("figure", min_width=16)
    for heading in ("measured", "lowest", "highest", "target"):
        table.add_column(Text(heading), justify="right", no_wrap=True)
    table.add_column("unit")
    table.add_column("result", no_wrap=True)
    remarks: list[Text] = []
    for result in results:
        match result:
            case Measured(figures=figures):
                for figure in figures:
                    table.add_row(*_cells(figure))
                    remarks += _remarks(figure)
                remarks += _busy_remark(result)
            case CouldNotRun(bench=bench, reason=reason):
                table.add_row(Text(bench), "", "", "", "", "", Text("could not run", "bold red"))
                remarks.append(_line(f"{bench}: {reason}"))
            case _:
                assert_never(result)
    return Group(table, *remarks, _verdict(results))


def to_json(results: Sequence[BenchResult]) -> str:
    """Everything measured, every run included. One JSON object, indented."""
    content = {
        "passes": exit_code(results) == 0,
        "benches": [_result_object(result) for result in results],
    }
    return json.dumps(content, indent=2)


def _cells(figure: Figure) -> tuple[Text, ...]:
    sign = {"at least": "≥", "at most": "≤"}[figure.target.direction]
    values = (figure.measured, min(figure.runs), max(figure.runs))
    return (
        Text(figure.name),
        *(Text(_amount(value)) for value in values),
        Text(f"{sign} {_amount(figure.target.bound)}"),
        Text(figure.unit),
        Text("ok", "green") if figure.passes else Text("falls short", "bold red"),
    )


def _remarks(figure: Figure) -> list[Text]:
    sides = ""
    if figure.pairs:
        ours = _range([pair.ours for pair in figure.pairs])
        theirs = _range([pair.theirs for pair in figure.pairs])
        sides = f"ours {ours}, theirs {theirs} {figure.side_unit}"
    said = "; ".join(part for part in (sides, figure.note, figure.target.note) if part)
    return [_line(f"{figure.name}: {said}")] if said else []


def _busy_remark(result: Measured) -> list[Text]:
    if result.others_percent < BUSY_PERCENT:
        return []
    used = f"{result.others_percent:.0f} % of the processor"
    return [_line(f"{result.bench}: other programs took {used}; measure again when they are done")]


def _range(values: Sequence[float]) -> str:
    return f"{min(values):.1f} to {max(values):.1f}"


def _amount(value: float) -> str:
    digits = 0 if abs(value) >= 1000 else 2 if abs(value) >= 1 else 3
    return f"{value:,.{digits}f}"


def _line(text: str) -> Text:
    return Text(to_display(text, multiline=False))


def _verdict(results: Sequence[BenchResult]) -> Text:
    if exit_code(results) == 0:
        return Text("Every figure meets its target.", "green")
    if not results:
        return Text("Nothing was measured.", "bold red")
    failed = ", ".join(result.bench for result in results if not result.passes)
    return Text(f"Not as it should be: {failed}.", "bold red")


def _result_object(result: BenchResult) -> dict[str, object]:
    shown: dict[str, object] = {
        "bench": result.bench,
        "passes": result.passes,
        "seconds": round(result.seconds, 3),
    }
    match result:
        case Measured(figures=figures, others_percent=others):
            objects = [_figure_object(figure) for figure in figures]
            return shown | {"could_not_run": None, "others_percent": others, "figures": objects}
        case CouldNotRun(reason=reason):
            return shown | {"could_not_run": reason, "others_percent": None, "figures": []}
        case _:
            assert_never(result)


def _figure_object(figure: Figure) -> dict[str, object]:
    return {
        "name": figure.name,
        "unit": figure.unit,
        "measured": figure.measured,
        "lowest": min(figure.runs),
        "highest": max(figure.runs),
        "target": figure.target.bound,
        "direction": figure.target.direction,
        "passes": figure.passes,
        "runs": list(figure.runs),
        "pairs": [_pair_object(pair) for pair in figure.pairs],
        "pair_unit": figure.side_unit,
        "note": "; ".join(part for part in (figure.note, figure.target.note) if part),
    }


def _pair_object(pair: Pair) -> dict[str, object]:
    return {
        "ratio": pair.ratio,
        "ours": pair.ours,
        "ours_runs": list(pair.ours_runs),
        "theirs": pair.theirs,
    }
