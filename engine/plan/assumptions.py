"""What a plan takes for granted about a model."""

from __future__ import annotations

from engine.plan.geometry import Geometry
from engine.plan.kv_placement import stored_bits, unquantized_layers
from engine.plan.kv_scheme import KVScheme
from engine.plan.kv_warning import kv_warning
from engine.plan.weights import Weights
from engine.sizes import in_words


def assumptions(
    geometry: Geometry, weights: Weights, scheme: KVScheme, parameters: int
) -> tuple[str, ...]:
    """Sentences for the people who read the plan; `parameters` 0 means that nobody counted."""
    lines: list[str] = []
    match weights.form:
        case "expanded":
            lines.append("The weights are expanded to float32, which this processor reads fastest.")
        case "expanded-on-demand":
            lines.append(
                "The weights would not fit expanded to float32: each matrix is expanded while a "
                f"prompt is read ({in_words(weights.expanded_bytes)} at a time)."
            )
        case "as-stored" | "packed" | "float32":
            pass
    if not geometry.context_window:
        lines.append("Its configuration does not say what context the model was made for.")
    if geometry.must_stay_plain and scheme.bits:
        why = "attention sinks do" if geometry.has_sinks else "own kind of attention does"
        lines.append(
            f"Its {why} not allow a quantized KV cache; a plain one is billed, and it is loaded "
            "only with engine.kv_bits off."
        )
    elif left := unquantized_layers(geometry, scheme):
        lines.append(f"The KV cache of {left} layers cannot be quantized and is billed plain.")
    if warning := kv_warning(stored_bits(geometry, scheme), parameters):
        lines.append(warning)
    return tuple(lines)
