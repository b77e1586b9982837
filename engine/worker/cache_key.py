"""What the caches of a loaded model are filed under."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from engine.worker.cache_entry import CacheKey
from engine.worker.loaded_model import LoadedModel

_WEIGHTS = ("config.json", "*.safetensors")
_TOKENIZER = ("tokenizer*", "*token*.json", "vocab*", "merges*", "*.model", "*.tiktoken", "*.jinja")
_CHARACTERS = 24


def cache_key(loaded: LoadedModel) -> CacheKey:
    """Names the folder's files by size and time, as other programs tell a changed file too."""
    folder = Path(loaded.info.path)
    adapter = Path(loaded.info.adapter) if loaded.info.adapter else None
    return CacheKey(
        model=_digest((loaded.form, *_files(folder, _WEIGHTS))),
        tokenizer=_digest(_files(folder, _TOKENIZER)),
        template=_digest((str(getattr(loaded.tokenizer, "chat_template", "")),)),
        adapter=_digest(_files(adapter, ("*",))) if adapter else "",
        kv=loaded.kv_key,
    )


def _files(folder: Path, patterns: Iterable[str]) -> list[str]:
    files = {file for pattern in patterns for file in folder.glob(pattern) if file.is_file()}
    return [f"{file.name} {_state(file)}" for file in sorted(files)]


def _state(file: Path) -> str:
    state = file.stat()
    # A file of a hub's cache is a link to one named by its content.
    return f"{file.resolve().name} {state.st_size} {state.st_mtime_ns}"


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:_CHARACTERS]
