"""Lines of the gauge on standard output, as this terminal or pipe can take them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from rich.console import Console

from tui.widgets.gauge.line import Lines
from tui.widgets.gauge.paint_rich import to_text
from tui.widgets.gauge.plain import needs_ascii, shown_lines


def print_lines(lines_at: Callable[[int], Lines], narrowest: int, widest: int) -> None:
    """Print the lines made for the width there is."""
    console = Console()
    lines = lines_at(min(max(console.width, narrowest), widest))
    text = to_text(shown_lines(lines, needs_ascii(os.environ, sys.stdout.encoding)))
    for line in text.split("\n"):
        line.rstrip()
        console.print(line, soft_wrap=True)
