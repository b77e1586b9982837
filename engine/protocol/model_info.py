"""What is known of the loaded model."""

from __future__ import annotations

import msgspec

from engine.plan.contract import MemoryPlan


class ModelInfo(msgspec.Struct, frozen=True):
    """What is known of the loaded model. Sizes in bytes."""

    name: str
    path: str
    architecture: str
    context_window: int
    weights_bytes: int
    parameters: int
    quantization: str
    device: str
    compute: str
    advice: str = ""
    has_thinking: bool = False
    has_tools: bool = False
    adapter: str = ""
    kv_token_bytes: int = 0
    """Bytes a token adds to the KV cache, as measured after loading; 0 when it is not constant."""
    context_limit: int = 0
    """Tokens a conversation is granted: what fits, at most the window; 0 when nothing limits it."""
    plan: MemoryPlan | None = None
    """The plan at `context_limit`."""
    kv_bits: int = 0
    """Bits of a quantized KV cache, of its coarsest layer; 0 when it is plain."""
    kv_warning: str = ""
    """A sentence where so few bits cost the model answers."""
    draft: str = ""
    """The folder of the model that drafts for it, unless `draft_refusal`; empty for none."""
    draft_bytes: int = 0
    """Bytes of that model's weights."""
    draft_refusal: str = ""
    """A sentence why that model does not draft, where it was wished for."""
