"""Writes down what the loaded model really cost and how fast it ran, beside what was predicted."""

from __future__ import annotations

from engine.plan.contract import MemoryPlan, PlanOptions
from engine.plan.record_key import RecordKey
from engine.plan.records import ProbeFacts, Records, RunFacts
from engine.protocol import Usage
from engine.worker.loaded_model import LoadedModel
from engine.worker.planning import EnginePlanning


class RunBook:
    """Keeps the records of one loaded model at a time; `best` speeds are tokens a second."""

    def __init__(self, records: Records, planning: EnginePlanning) -> None:
        self._records = records
        self._planning = planning
        self._key: RecordKey | None = None
        self._loaded: LoadedModel | None = None
        self.best_prefill_tps = self.best_decode_tps = 0.0

    def open(self, loaded: LoadedModel) -> None:
        """Another model is loaded."""
        self._loaded, self._key = loaded, self._planning.record_key(loaded)
        trial = loaded.trial
        self._records.note_probe(self._key, ProbeFacts(trial.kv_token_bytes, trial.peak_bytes))
        self._show_best()

    def close(self) -> None:
        """No model is loaded."""
        self._key = self._loaded = None
        self.best_prefill_tps = self.best_decode_tps = 0.0

    def note_answer(self, usage: Usage, peak_bytes: int) -> None:
        """An answer ended; `peak_bytes` is MLX's peak without other conversations' caches."""
        if self._key is None or self._loaded is None:
            return
        info, form = self._loaded.info, self._loaded.form
        held = usage.prompt_tokens + usage.generated_tokens
        options = PlanOptions(held, adapter=info.adapter, draft=self._loaded.draft_path)
        plan = self._planning.plan(info.path, options, form)
        self._records.note_run(
            self._key,
            RunFacts(
                context_tokens=held,
                decode_tps=usage.decode_tps,
                # What drafts gain says nothing about the next answer.
                decoded_tokens=0 if usage.drafted_tokens else usage.generated_tokens,
                prefill_tps=usage.prefill_tps,
                prefilled_tokens=usage.prompt_tokens - usage.reused_tokens,
                measured_peak_bytes=max(peak_bytes, 0),
                predicted_peak_bytes=peak_of(plan),
            ),
        )
        self._show_best()

    def _show_best(self) -> None:
        record = self._records.find(self._key) if self._key else None
        if record is not None:
            self.best_prefill_tps = record.best_prefill_tps
            self.best_decode_tps = record.best_decode_tps


def peak_of(plan: MemoryPlan) -> int:
    """What MLX's peak is checked against; 0 when nothing was predicted."""
    if plan.verdict == "unknown":
        return 0
    return plan.weights_bytes + plan.kv_bytes + plan.transient_bytes
