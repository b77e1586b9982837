"""Loading a model folder through mlx-lm, and what is worth knowing about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.nn.layers.base import Module
from mlx.utils import tree_flatten
from mlx_lm import load
from mlx_lm.utils import get_total_parameters
from msgspec import structs

from engine.compute import ComputePath
from engine.models.context_window import context_window
from engine.models.hub_name import name_of
from engine.plan.cpu_form import CpuForm
from engine.plan.kv_warning import kv_warning
from engine.protocol import LoadModel, ModelInfo
from engine.worker.adapter import check_applied
from engine.worker.drafts.loading import LoadedDraft, load_draft
from engine.worker.folder_check import read_object
from engine.worker.kv_choice import AS_MADE, KVChoice, KVWish, choose_kv
from engine.worker.markup import Markup, markup_of
from engine.worker.precision import prepare_for_cpu
from engine.worker.prompt import PromptWriter
from engine.worker.trial import Trial, run_trial
from engine.worker.turn_style import style_of
from engine.worker.turns import TurnWriter

# mlx-lm carries hardly any types.
_load_folder: Any = load
_get_total_parameters: Any = get_total_parameters


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model ready to answer; `kv` is how its keys and values are stored."""

    model: Module
    tokenizer: Any
    prompts: PromptWriter
    turns: TurnWriter
    markup: Markup
    generation_config: dict[str, Any]
    info: ModelInfo
    trial: Trial
    is_forced: bool
    form: CpuForm
    kv: KVChoice
    draft: LoadedDraft | None = None

    @property
    def held_bytes(self) -> int:
        """Bytes of its weights and of its draft model's."""
        return self.info.weights_bytes + self.info.draft_bytes

    @property
    def draft_path(self) -> str:
        """The folder of the model that drafts for it; empty for none."""
        return self.draft.path if self.draft is not None else ""

    @property
    def kv_key(self) -> str:
        """Names how caches are stored: they are interchangeable only between equal keys."""
        return self.kv.key


def load_model(
    command: LoadModel,
    compute: ComputePath,
    usable_bytes: int,
    report_stage: Callable[[str], None],
    kv_wish: KVWish = AS_MADE,
) -> LoadedModel:
    """Read checked folders, prepare the model for this machine and run it once.

    Raises Refused, and whatever mlx-lm and transformers make of a damaged folder.
    """
    folder, adapter = Path(command.path), command.adapter
    report_stage("reading weights")
    model, tokenizer, config = _read(folder, adapter)
    parameters = int(_get_total_parameters(model))
    weights_bytes, precision = _weights_bytes(model), _quantization(config)
    form: CpuForm = "as-stored"
    if mx.default_device().type == mx.DeviceType.cpu:
        report_stage("preparing weights for the CPU")
        prepared = prepare_for_cpu(model, compute.is_fast, usable_bytes)
        weights_bytes, form = prepared.weights_bytes, prepared.form
        if prepared.description != precision:
            precision = f"{precision}, {prepared.description}"
    kv = choose_kv(model, folder, config, kv_wish)
    report_stage("warming up")
    markup = markup_of(tokenizer)
    style = style_of(tokenizer, markup)
    trial = run_trial(model, kv.scheme)
    info = ModelInfo(
        name=name_of(folder),
        path=str(folder),
        architecture=str(config.get("model_type", "unknown")),
        context_window=context_window(config),
        weights_bytes=weights_bytes,
        parameters=parameters,
        quantization=precision,
        device=str(mx.device_info().get("device_name", "CPU")),
        compute=compute.kind,
        advice=compute.advice,
        has_thinking=markup.thinks,
        has_tools=style.calls,
        adapter=adapter,
        kv_token_bytes=trial.kv_token_bytes,
        kv_bits=kv.bits,
        kv_warning=kv_warning(kv.bits, parameters),
    )
    settings = _generation_config(folder)
    prompts = PromptWriter(tokenizer)
    return LoadedModel(
        model=model,
        tokenizer=tokenizer,
        prompts=prompts,
        turns=TurnWriter(prompts, style, markup.thinks),
        markup=markup,
        generation_config=settings,
        info=info,
        trial=trial,
        is_forced=command.is_forced,
        form=form,
        kv=kv,
    )


def with_draft(
    loaded: LoadedModel, folder: Path, compute: ComputePath, usable_bytes: int
) -> LoadedModel:
    """The same with the model in a checked folder to draft for it. Raises as `load_draft`."""
    left = max(usable_bytes - loaded.info.weights_bytes, 0)
    draft = load_draft(folder, loaded.model, loaded.tokenizer, compute, left)
    info = structs.replace(loaded.info, draft=draft.path, draft_bytes=draft.weights_bytes)
    return replace(loaded, draft=draft, info=info)


def _read(folder: Path, adapter: str) -> tuple[Any, Any, dict[str, Any]]:
    """Model, tokenizer and configuration, with the adapter applied. Raises as `load_model`."""
    model, tokenizer, config = _load_folder(
        str(folder), return_config=True, adapter_path=adapter or None
    )
    if adapter:
        check_applied(model, Path(adapter))
    return model, tokenizer, config


def _weights_bytes(model: Any) -> int:
    parameters: Any = tree_flatten(model.parameters())
    return sum(int(array.nbytes) for _, array in parameters)


def _quantization(config: dict[str, Any]) -> str:
    scheme = config.get("quantization") or config.get("quantization_config")
    if isinstance(scheme, dict) and isinstance(scheme.get("bits"), int):
        return f"{scheme['bits']}-bit"
    return str(config.get("torch_dtype") or config.get("dtype") or "unquantized")


def _generation_config(folder: Path) -> dict[str, Any]:
    file = folder / "generation_config.json"
    return read_object(file) if file.is_file() else {}
