"""LoRA adapters: what can be said of a folder before mlx-lm applies it, and whether it took."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mlx.utils import tree_flatten

from engine.errors import EngineError
from engine.models.safetensors_header import file_tensors
from engine.serving.backend import Refused
from engine.worker.folder_check import read_object

_WEIGHTS, _CONFIG = "adapters.safetensors", "adapter_config.json"
_ADAPTER_LEAVES = ("lora_a", "lora_b", "m")


def check_adapter(folder: Path) -> None:
    """Refuse a folder that is no mlx-lm adapter."""
    if not (folder / _CONFIG).is_file() or not (folder / _WEIGHTS).is_file():
        raise Refused(
            "load",
            f"{folder} is not an adapter made by mlx-lm: it needs {_CONFIG} and {_WEIGHTS}.",
        )
    _tensor_names(folder)
    config = read_object(folder / _CONFIG)
    if config.get("fine_tune_type", "lora") == "full":
        return
    layers, parameters = config.get("num_layers"), config.get("lora_parameters")
    if not isinstance(layers, int) or not isinstance(parameters, dict):
        raise Refused("load", f"{folder / _CONFIG} does not say which layers the adapter changes.")


def check_applied(model: Any, folder: Path) -> None:
    """Refuse an adapter that changes nothing, or only a part of what it says it changes.

    mlx-lm refuses tensors that have no place; those that are missing would stay untrained.
    """
    if read_object(folder / _CONFIG).get("fine_tune_type") == "full":
        return
    given = _tensor_names(folder)
    parameters: Any = tree_flatten(model.parameters())
    wanted = {name for name, _ in parameters if name.rsplit(".", 1)[-1] in _ADAPTER_LEAVES}
    missing = sorted(wanted - given)
    if missing or not wanted:
        lack = f"it has no weights for {missing[0]}" if missing else "it changes no layer"
        raise Refused("load", f"The adapter {folder.name} does not fit this model: {lack}.")


def _tensor_names(folder: Path) -> frozenset[str]:
    try:
        return frozenset(tensor.name for tensor in file_tensors(folder / _WEIGHTS))
    except EngineError as error:
        raise Refused("load", str(error)) from error
