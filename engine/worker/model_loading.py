"""Loads what was asked for: a model with its adapter and, where that works, one to draft for it."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from msgspec import structs

from engine.compute import ComputePath
from engine.config import EngineConfig
from engine.models.hub_name import name_of
from engine.plan.contract import MemoryPlan, PlanOptions
from engine.protocol import LoadModel
from engine.serving.backend import Refused
from engine.worker.adapter import check_adapter
from engine.worker.admission import granted_context, require_fit
from engine.worker.folder_check import check_folder
from engine.worker.kv_choice import KVWish
from engine.worker.loaded_model import LoadedModel, load_model, with_draft
from engine.worker.planning import EnginePlanning

Say = Callable[[str], None]


class ModelLoader:
    """Checks and plans before it reads. Methods raise Refused, and what a damaged folder causes."""

    def __init__(
        self, config: EngineConfig, compute: ComputePath, planning: EnginePlanning
    ) -> None:
        self._config = config
        self._compute = compute
        self._planning = planning
        self._kv_wish = KVWish(config.kv_bits, config.kv_start_tokens)

    def load(self, command: LoadModel, report_stage: Say) -> LoadedModel:
        """The model, with what its conversations are granted.

        A draft model that is optional and cannot draft is left out, with the reason in the model's
        information.
        """
        check_folder(Path(command.path))
        if command.adapter:
            check_adapter(Path(command.adapter))
        draft, plan, reason = self._plan_with_draft(command)
        if not command.is_forced:
            require_fit(Path(command.path).name, plan)
        usable = self._planning.machine().usable_bytes
        loaded = load_model(command, self._compute, usable, report_stage, self._kv_wish)
        if draft:
            report_stage("reading the draft model")
            try:
                loaded = with_draft(loaded, Path(draft), self._compute, usable)
            except Refused as refused:
                if not command.is_draft_optional:
                    raise
                reason, plan = str(refused), self._plan(command, "")
                gc.collect()
        info = loaded.info
        limit = granted_context(plan, self._config.context_limit, info.context_window)
        info = structs.replace(info, plan=plan, context_limit=limit)
        if reason:
            info = structs.replace(info, draft=command.draft, draft_refusal=reason)
        return replace(loaded, info=info)

    def _plan_with_draft(self, command: LoadModel) -> tuple[str, MemoryPlan, str]:
        """The draft model if there is to be one, the plan, and why there is none."""
        draft = command.draft if self._config.is_drafting_allowed else ""
        reason = self._fault(command) if draft else ""
        if reason:
            return "", self._plan(command, ""), reason
        plan = self._plan(command, draft)
        if draft and command.is_draft_optional and not plan.fits:
            alone = self._plan(command, "")
            if alone.fits or command.is_forced:
                return "", alone, f"{_name(draft)} does not draft. {' '.join(plan.reasons)}"
        return draft, plan, ""

    def _fault(self, command: LoadModel) -> str:
        """What speaks against an optional draft model before anything is read."""
        if command.is_draft_optional and command.draft == command.path:
            return f"{_name(command.draft)} does not draft for itself."
        try:
            check_folder(Path(command.draft))
        except Refused as refused:
            if not command.is_draft_optional:
                raise
            return f"{_name(command.draft)} does not draft. {refused}"
        return ""

    def _plan(self, command: LoadModel, draft: str) -> MemoryPlan:
        return self._planning.plan(command.path, PlanOptions(adapter=command.adapter, draft=draft))


def _name(folder: str) -> str:
    return name_of(Path(folder))
