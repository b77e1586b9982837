"""What can be said of a model folder before mlx-lm tries it, in words a user can act on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mlx_lm import utils as mlx_lm_utils

from engine.errors import ModelUnavailable
from engine.models.safetensors_header import folder_tensors
from engine.serving.backend import Refused

# Private, but the only place that knows every family's name; mlx-lm carries hardly any types.
_find_family: Any = mlx_lm_utils._get_classes


def check_folder(folder: Path) -> None:
    """Refuse a folder that lacks something, and a model of a family that nobody wrote yet."""
    file = folder / "config.json"
    if not file.is_file():
        raise Refused("load", f"{folder} is not a model folder: it has no config.json.")
    config = read_object(file)
    family = config.get("model_type")
    if not isinstance(family, str):
        raise Refused("load", f"{file} does not say which family the model belongs to.")
    if config.get("model_file"):
        raise Refused(
            "load", f"{folder.name} brings its own program code, which is not run: choose another."
        )
    try:
        _find_family(config)
    except ValueError as error:
        raise Refused(
            "load",
            f"{folder.name} belongs to the family {family!r}, which this version cannot run: "
            "choose another model.",
        ) from error
    if not any(folder.glob("model*.safetensors")):
        raise Refused("load", f"{folder.name} has no weights (model*.safetensors) in {folder}.")
    try:
        folder_tensors(folder)
    except ModelUnavailable as error:
        raise Refused("load", str(error)) from error


def read_object(file: Path) -> dict[str, Any]:
    """The JSON object in a file. Raises Refused."""
    try:
        content = json.loads(file.read_bytes())
    except (ValueError, RecursionError, OSError) as error:
        raise Refused("load", f"{file} cannot be read ({error}); download it again.") from error
    if not isinstance(content, dict):
        raise Refused("load", f"{file} does not hold a JSON object; download it again.")
    return content
