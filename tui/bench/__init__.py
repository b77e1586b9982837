"""`zib bench`: measures the claims this program makes, each beside its target."""

from tui.bench.context import BenchContext, Report
from tui.bench.figures import (
    BenchFault,
    BenchResult,
    CouldNotRun,
    Figure,
    Measured,
    Pair,
    Target,
    exit_code,
)
from tui.bench.harness import Bench, available, run_benches
from tui.bench.report import render, to_json

__all__ = [
    "Bench",
    "BenchContext",
    "BenchFault",
    "BenchResult",
    "CouldNotRun",
    "Figure",
    "Measured",
    "Pair",
    "Report",
    "Target",
    "available",
    "exit_code",
    "render",
    "run_benches",
    "to_json",
]
