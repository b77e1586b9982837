"""What may be loaded by what, at run time: the contracts of pyproject.toml, proven."""

from __future__ import annotations

import subprocess
import sys

import pytest

MLX = ("mlx", "mlx_lm", "transformers", "numpy")
HUB = ("huggingface_hub", "httpx2")


@pytest.mark.parametrize(
    ("module", "forbidden"),
    [
        ("tui.app", MLX),
        ("tui.cli.commands", MLX),
        ("tui.cli.ask", MLX),
        ("tui.cli.fit", (*MLX, "textual")),
        ("tui.cli.gauge", (*MLX, "textual")),
        ("tui.cli.models", (*MLX, *HUB)),
        ("engine.models.library", (*MLX, *HUB, "textual", "rich", "vault", "tui")),
        ("engine.models.download", (*MLX, *HUB, "textual", "rich", "vault", "tui")),
        ("engine.client", (*MLX, "textual", "rich", "vault", "tui")),
        ("engine.scripted", (*MLX, "textual", "rich", "vault", "tui")),
        ("vault.vault", (*MLX, "textual", "rich", "engine", "tui", "git")),
        ("tui.assistant.assistant", (*MLX, "textual", "rich")),
        ("tui.screens.main", ("vault.vault", "markdown_it", "git")),
    ],
)
def test_importing_a_module_loads_nothing_it_must_not(
    module: str, forbidden: tuple[str, ...]
) -> None:
    script = (
        f"import sys, {module}; print(*[name for name in {forbidden!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


def test_the_worker_is_reached_only_as_a_process() -> None:
    script = "import sys, engine.client, tui.app; print('engine.worker' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
