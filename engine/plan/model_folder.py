"""A model folder as a planner needs it: its configuration and its tensors' headers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.errors import EngineError
from engine.models.safetensors_header import Tensor, file_tensors, folder_tensors
from engine.plan.families.fields import UnplannableModel

_CONFIG = "config.json"
_ADAPTER_WEIGHTS, _ADAPTER_CONFIG = "adapters.safetensors", "adapter_config.json"
_MAX_CONFIG_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """What is known without loading. `problem` says why there is no configuration."""

    config: Mapping[str, object]
    tensors: tuple[Tensor, ...]
    problem: str = ""

    @property
    def stored_bytes(self) -> int:
        """Of all tensors as they lie on the disk."""
        return sum(tensor.bytes for tensor in self.tensors)


def read_model_folder(folder: Path) -> ModelFolder:
    """Read config.json and the headers; what cannot be read is left out and named."""
    config: Mapping[str, object] = {}
    tensors: tuple[Tensor, ...] = ()
    problem = ""
    try:
        tensors = folder_tensors(folder)
    except EngineError as error:
        problem = str(error)
    try:
        config = read_table(folder / _CONFIG)
    except UnplannableModel as error:
        problem = str(error)
    return ModelFolder(config, tensors, problem)


def adapter_tensors(folder: Path, base: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """What an adapter adds to the tensors of its base. Raises EngineError."""
    tensors = file_tensors(folder / _ADAPTER_WEIGHTS)
    config = read_table(folder / _ADAPTER_CONFIG)
    if config.get("fine_tune_type") != "full":
        return tensors
    # A full fine-tune replaces the weights that it names.
    replaced = {tensor.name for tensor in base}
    return tuple(tensor for tensor in tensors if tensor.name not in replaced)


def read_table(file: Path) -> Mapping[str, object]:
    """A JSON object. Raises UnplannableModel."""
    try:
        if not file.is_file():
            raise UnplannableModel(f"{file.parent} holds no {file.name}.")
        with file.open("rb") as stream:
            content = stream.read(_MAX_CONFIG_BYTES + 1)
        if len(content) > _MAX_CONFIG_BYTES:
            raise UnplannableModel(f"{file} is too large to be a configuration.")
        found = json.loads(content)
    except OSError as error:
        raise UnplannableModel(f"Cannot read {file}: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise UnplannableModel(f"{file} is not valid JSON.") from error
    if not isinstance(found, dict):
        raise UnplannableModel(f"{file} is not a table of settings.")
    return found
