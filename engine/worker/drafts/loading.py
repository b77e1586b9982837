"""Loads a model to draft for the one that answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten
from mlx_lm import load
from mlx_lm.models.cache import make_prompt_cache

from engine.compute import ComputePath
from engine.models.context_window import context_window
from engine.models.hub_name import name_of
from engine.serving.backend import Refused
from engine.worker.drafts.taking_back import room_to_take_back
from engine.worker.precision import prepare_for_cpu

# mlx-lm carries hardly any types.
_load_folder: Any = load


@dataclass(frozen=True, slots=True)
class LoadedDraft:
    """Ready to draft; `window` is the context it was made for, 0 when it does not say."""

    path: str
    model: Any
    weights_bytes: int
    window: int


def load_draft(
    folder: Path, answering: Any, tokenizer: Any, compute: ComputePath, usable_bytes: int
) -> LoadedDraft:
    """Load a checked folder for a model that is loaded; `usable_bytes` is what that one left.

    Raises Refused for a model that cannot draft for it, and whatever mlx-lm and transformers make
    of a damaged folder.
    """
    name = name_of(folder)
    if not room_to_take_back(make_prompt_cache(answering)):
        raise Refused(
            "load",
            "This model's caches cannot take drafts back, so no model can draft for it: set "
            "engine.draft_model to nothing.",
        )
    model, own_tokenizer, config = _load_folder(str(folder), return_config=True)
    if own_tokenizer.get_vocab() != tokenizer.get_vocab():
        raise Refused(
            "load",
            f"{name} cannot draft for this model: its tokenizer gives tokens other numbers. Set "
            "engine.draft_model to a smaller model of the same family, or to nothing.",
        )
    if not room_to_take_back(make_prompt_cache(model)):
        raise Refused(
            "load",
            f"{name} cannot draft: its caches cannot take back what does not come true. Set "
            "engine.draft_model to another model, or to nothing.",
        )
    if mx.default_device().type == mx.DeviceType.cpu:
        prepare_for_cpu(model, compute.is_fast, usable_bytes)
    mx.eval(model.parameters())
    parameters: Any = tree_flatten(model.parameters())
    weights_bytes = sum(int(array.nbytes) for _, array in parameters)
    return LoadedDraft(str(folder), model, weights_bytes, context_window(config))
