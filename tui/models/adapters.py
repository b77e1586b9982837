"""LoRA folders: which there are, and what is wrong with one that cannot be used."""

from __future__ import annotations

from pathlib import Path

SETTINGS_FILE = "adapter_config.json"
WEIGHTS_FILE = "adapters.safetensors"
MOST_FOLDERS = 500


def find_adapters(root: Path) -> tuple[Path, ...]:
    """The adapter folders right below `root`, by name; none where it cannot be read."""
    try:
        folders = sorted(root.iterdir())[:MOST_FOLDERS]
        return tuple(folder for folder in folders if not adapter_problem(folder))
    except OSError:
        return ()


def adapter_problem(folder: Path) -> str:
    """A sentence why this is no adapter folder, or empty."""
    try:
        missing = [name for name in (SETTINGS_FILE, WEIGHTS_FILE) if not (folder / name).is_file()]
    except (OSError, ValueError) as error:
        return f"{folder} cannot be read: {error}."
    if missing:
        return f"{folder} is no adapter folder: it has no {' and no '.join(missing)}."
    return ""
