"""Where models may lie on this machine."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.models.model_file import read_object, read_text

_POINTER = ".lmstudio-home-pointer"


@dataclass(frozen=True, slots=True)
class ModelPlaces:
    """Folders to look in; none of them need exist. `builtin` is the built-in model's own."""

    models_dir: Path
    hub_cache: Path
    lm_studio_dirs: tuple[Path, ...]
    builtin: Path


def find_places(
    models_dir: Path, builtin: Path, environment: Mapping[str, str], home: Path
) -> ModelPlaces:
    """The usual places of one user, as the environment moves them."""
    return ModelPlaces(models_dir, hub_cache_dir(environment, home), lm_studio_dirs(home), builtin)


def hub_cache_dir(environment: Mapping[str, str], home: Path) -> Path:
    """The Hugging Face cache, by the variables and defaults that huggingface_hub documents."""
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if value := environment.get(variable):
            return _expand(value, environment, home)
    if value := environment.get("HF_HOME"):
        return _expand(value, environment, home) / "hub"
    if value := environment.get("XDG_CACHE_HOME"):
        return _expand(value, environment, home) / "huggingface" / "hub"
    return home / ".cache" / "huggingface" / "hub"


def lm_studio_dirs(home: Path) -> tuple[Path, ...]:
    """LM Studio's model folders: the one set in it, then its present and its older default."""
    homes = [home / ".lmstudio", home / ".cache" / "lm-studio"]
    first_line = (read_text(home / _POINTER) or "").strip().partition("\n")[0].strip()
    if first_line and Path(first_line).is_absolute():
        homes.insert(0, Path(first_line))
    found: list[Path] = []
    for studio in homes:
        settings: dict[str, Any] = read_object(studio / "settings.json") or {}
        chosen = settings.get("downloadsFolder")
        if isinstance(chosen, str) and Path(chosen).is_absolute():
            found.append(Path(chosen))
        found.append(studio / "models")
    return tuple(dict.fromkeys(found))


def _expand(value: str, environment: Mapping[str, str], home: Path) -> Path:
    """`~` and `$NAME`, which huggingface_hub expands too."""
    if value == "~" or value.startswith("~/"):
        value = f"{home}{value[1:]}"
    for name, content in environment.items():
        if f"${name}" in value or f"${{{name}}}" in value:
            value = value.replace(f"${{{name}}}", content).replace(f"${name}", content)
    return Path(os.path.normpath(Path(home, value)))
