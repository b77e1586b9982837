"""The working memory of one step: scores, activations and logits."""

from __future__ import annotations

from engine.plan.contract import PlanItem
from engine.plan.geometry import FullAttention, LatentAttention, SlidingAttention
from engine.plan.workload import KV_STEP, Workload


def transient_items(workload: Workload) -> tuple[PlanItem, ...]:
    """What one prefill chunk needs beside weights and KV cache, at most."""
    geometry, size = workload.geometry, workload.element_bytes
    chunk = min(workload.chunk, workload.context_tokens) * workload.rows
    keys = -(-workload.context_tokens // KV_STEP) * KV_STEP
    scores = 0
    for mixer in geometry.mixers():
        if isinstance(mixer, FullAttention | LatentAttention):
            scores = max(scores, mixer.query_heads * chunk * keys * size)
        elif isinstance(mixer, SlidingAttention):
            seen = min(keys, mixer.window + workload.chunk)
            scores = max(scores, mixer.query_heads * chunk * seen * size)
    widths = geometry.intermediate_size * 2 + geometry.hidden_size * 4
    return (
        PlanItem("transient", "attention scores", 4 * scores),
        PlanItem("transient", "activations", chunk * widths * size * geometry.residual_streams),
        PlanItem("transient", "logits", 2 * geometry.vocabulary_size * 4 * workload.rows),
        PlanItem("transient", "expanded weights", workload.expanded_bytes),
    )
