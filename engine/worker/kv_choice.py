"""How the engine's setting for keys and values applies to the model that was loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mlx.nn.layers.base import Module

from engine.plan.families.fields import UnplannableModel
from engine.plan.kv_scheme import PLAIN
from engine.serving.backend import Refused
from engine.worker.cache.policy import CachePolicy, KVSetting, decide, scheme_for
from engine.worker.cache_scheme import CacheScheme, plain_scheme, policy_scheme

_REMEDY = "Set engine.kv_bits to off for it, or choose another model."


@dataclass(frozen=True, slots=True)
class KVWish:
    """What the settings ask for: quantize, once a row holds `start_tokens`."""

    setting: KVSetting = "off"
    start_tokens: int = 0


AS_MADE = KVWish()


@dataclass(frozen=True, slots=True)
class KVChoice:
    """What a model gets. Caches are interchangeable only between equal keys; `bits` 0 is plain."""

    scheme: CacheScheme
    key: str
    bits: int = 0


def choose_kv(model: Module, folder: Path, config: Mapping[str, object], wish: KVWish) -> KVChoice:
    """Decide for a model whose weights are as they will stay.

    Raises Refused for a model that cannot have what is wished for.
    """
    try:
        scheme = scheme_for(wish.setting, folder)
    except UnplannableModel as error:
        raise Refused("load", str(error)) from error
    if scheme == PLAIN:
        return KVChoice(plain_scheme(model), CachePolicy(()).key)
    policy = decide(model, config, scheme, wish.start_tokens)
    if policy.refusal and not policy.has_nothing_to_store:
        raise Refused("load", f"{policy.refusal} {_REMEDY}")
    return KVChoice(policy_scheme(model, policy), policy.key, policy.bits)
