"""Under what name the files of one model, as it was loaded, are kept."""

from __future__ import annotations

import hashlib
from dataclasses import astuple

import mlx_lm
import msgspec

from engine.worker.cache_entry import CacheKey
from engine.worker.disk_tier_format import VERSION

_CHARACTERS = 24


def fingerprint_of(key: CacheKey) -> str:
    """A folder name: another model, tokenizer, template, adapter, way of storing keys and values,
    or another mlx-lm, whose caches may be laid out differently, makes another one."""
    content = msgspec.json.encode((VERSION, str(mlx_lm.__version__), astuple(key)))
    return hashlib.sha256(content).hexdigest()[:_CHARACTERS]
