"""Plans any model folder for this machine, as the engine is set up. Never raises for a folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from engine.errors import EngineError
from engine.models.weights import count_parameters
from engine.plan.assumptions import assumptions
from engine.plan.contract import MemoryPlan, PlanItem, PlanOptions
from engine.plan.cpu_form import CpuForm
from engine.plan.device import Device
from engine.plan.draft import why_no_drafts
from engine.plan.families.fields import UnknownArchitecture, UnplannableModel
from engine.plan.families.registry import geometry_of
from engine.plan.generic_kv import plan_generic
from engine.plan.glm52_colibri import streamed_instead
from engine.plan.glm52_geometry import is_streaming_config
from engine.plan.kept_tensors import kept_tensors
from engine.plan.kv_scheme import KVScheme, read_kv_config, uniform_scheme
from engine.plan.machine import Machine
from engine.plan.model_folder import ModelFolder, adapter_tensors, read_model_folder
from engine.plan.plan_reasons import LOAD_ANYWAY, unknown_plan
from engine.plan.record_key import RecordKey, key_of_folder
from engine.plan.records import Records
from engine.plan.run_record import Record
from engine.plan.subject import Subject
from engine.plan.weights import adapter_bytes, plan_weights

_MAX_CONTEXT_TOKENS = 1 << 40
_MAX_ROWS = 1024
_LARGEST_BYTES = 1 << 60
"""Far beyond any machine: a bill above it is a damaged configuration's, and no message holds it."""
_BUDGET_BINDING = "the budget asked for"
_AS_SET_UP = PlanOptions()


@dataclass(frozen=True, slots=True)
class PlanSetup:
    """How the engine is set up. None: a share of the memory, and as many tokens as fit."""

    prefill_step: int
    prompt_cache_bytes: int | None = None
    context_limit: int | None = None
    kv_bits: int = 0
    uses_kv_config: bool = False
    """Store the KV cache as the model's own kv_config.json says, where it has one."""
    kv_start_tokens: int = 0
    """Tokens a row holds before any of it is quantized."""


class Planner:
    """Plans folders for the memory that `machine` reports each time; any thread may ask."""

    def __init__(
        self, machine: Callable[[], Machine], setup: PlanSetup, records: Records | None = None
    ) -> None:
        self._machine = machine
        self._setup = setup
        self._records = records

    def plan(
        self, folder: Path, options: PlanOptions = _AS_SET_UP, form: CpuForm | None = None
    ) -> MemoryPlan:
        """What the model would cost; `unknown` with the reason where that cannot be said.

        `form` is the form its weights have already; None means the one they would get.
        """
        machine = _with_budget(self._machine(), options.budget_bytes)
        files = read_model_folder(folder)
        try:
            subject = self._subject(folder, files, machine, options, form)
            if options.draft:
                subject = self._with_draft(subject, Path(options.draft), machine)
        except EngineError as error:
            is_loadable = isinstance(error, UnknownArchitecture)
            reasons = (_sentence(error), LOAD_ANYWAY) if is_loadable else (_sentence(error),)
            return unknown_plan(machine, files.stored_bytes, reasons)
        wanted = options.context_tokens
        if wanted is not None:
            wanted = min(max(wanted, 1), _MAX_CONTEXT_TOKENS)
        plan = plan_generic(
            subject,
            machine,
            self._setup.prompt_cache_bytes,
            wanted,
            self._setup.context_limit,
            self._record(folder, machine, options, subject.weights.form),
        )
        if not plan.fits and is_streaming_config(files.config):
            plan = streamed_instead(plan, files.config, files.tensors, machine, wanted)
        if plan.total_bytes > _LARGEST_BYTES:
            return unknown_plan(machine, files.stored_bytes, (_beyond_measure(plan),))
        return plan

    def record_key(
        self, folder: Path, device: Device, options: PlanOptions, form: CpuForm
    ) -> RecordKey:
        """Under what key runs of the folder with these options are recorded."""
        scheme = self._scheme_name(folder, options)
        return key_of_folder(folder, folder.name, device.compute, scheme, options.adapter, form)

    def _record(
        self, folder: Path, machine: Machine, options: PlanOptions, form: CpuForm
    ) -> Record | None:
        if self._records is None:
            return None
        return self._records.find(self.record_key(folder, machine.device, options, form))

    def _subject(
        self,
        folder: Path,
        files: ModelFolder,
        machine: Machine,
        options: PlanOptions,
        form: CpuForm | None,
    ) -> Subject:
        if files.problem:
            raise UnplannableModel(files.problem)
        geometry = geometry_of(files.config)
        kept = kept_tensors(files.config, geometry, files.tensors)
        weights = plan_weights(kept, files.config, machine.device, machine.usable_bytes, form)
        adapter = None
        if options.adapter:
            place = Path(options.adapter)
            own = adapter_bytes(adapter_tensors(place, kept), weights.form)
            adapter = PlanItem("weights", f"adapter {_unicode(place.name)}", own)
        scheme = self._scheme(folder, options)
        parameters = count_parameters(files.tensors, files.config) if scheme.bits else 0
        return Subject(
            geometry=geometry,
            weights=weights,
            adapter=adapter,
            scheme=scheme,
            rows=min(max(options.rows, 1), _MAX_ROWS),
            chunk=max(self._setup.prefill_step, 1),
            notes=assumptions(geometry, weights, scheme, parameters),
        )

    def _with_draft(self, subject: Subject, folder: Path, machine: Machine) -> Subject:
        left = replace(
            machine, usable_bytes=max(machine.usable_bytes - subject.weights.resident_bytes, 0)
        )
        try:
            files = read_model_folder(folder)
            draft = self._subject(folder, files, left, PlanOptions(kv_bits=0), None)
        except EngineError as error:
            raise UnplannableModel(f"The draft model: {error}") from error
        if why := why_no_drafts(subject.geometry, draft.geometry):
            raise UnplannableModel(why)
        return replace(subject, draft=draft)

    def _scheme(self, folder: Path, options: PlanOptions) -> KVScheme:
        start = self._setup.kv_start_tokens
        if options.kv_bits is None and self._setup.uses_kv_config:
            own = read_kv_config(folder, start)
            if own.layers:
                return own
        bits = self._setup.kv_bits if options.kv_bits is None else options.kv_bits
        return uniform_scheme(bits, start)

    def _scheme_name(self, folder: Path, options: PlanOptions) -> str:
        try:
            scheme = self._scheme(folder, options)
        except UnplannableModel:
            return ""
        if not scheme.bits:
            return ""
        name = f"{scheme.bits}-bit" if scheme.uniform else f"{scheme.bits}-bit by layer"
        return f"{name} from {scheme.start_tokens}" if scheme.start_tokens else name


def _with_budget(machine: Machine, budget: int | None) -> Machine:
    if budget is None:
        return machine
    usable = max(budget, 0)
    return replace(
        machine,
        usable_bytes=usable,
        squeeze_free_bytes=usable,
        is_squeezed=False,
        binding=_BUDGET_BINDING,
    )


def _beyond_measure(plan: MemoryPlan) -> str:
    return (
        f"{plan.context_tokens:,} tokens would need more than an exbibyte, which no machine has: "
        "config.json is damaged, or too much was asked for."
    )


def _sentence(error: Exception) -> str:
    text = _unicode(str(error))
    return text if text.endswith((".", "!", "…")) else f"{text}."


def _unicode(text: str) -> str:
    """Names of files and configurations may hold halves of letters, which no JSON does."""
    return text.encode(errors="replace").decode()
