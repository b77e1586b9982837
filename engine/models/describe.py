"""What a model folder holds, told from its small files and the headers of its weights."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any

from engine.errors import ModelUnavailable
from engine.models.abilities import TokenizerSigns, abilities
from engine.models.context_window import context_window
from engine.models.entry import ModelEntry, Purpose, Source
from engine.models.families import is_known_family
from engine.models.manifest import read_manifest
from engine.models.model_card import licence_of
from engine.models.model_file import read_object
from engine.models.safetensors_header import WEIGHT_FILES, folder_tensors
from engine.models.weights import count_parameters, describe_quantization

_MOST_FILES = 4096
_LONGEST_NAME = 40
_EMBEDDING_FILES = frozenset(
    {"modules.json", "config_sentence_transformers.json", "sentence_bert_config.json"}
)
_EMBEDDING = re.compile(r"(?i)embedding|(?:^|[-_./])(?:embed|e5|bge|gte|minilm)(?:[-_.]|$)")
_RERANKER = re.compile(r"(?i)rerank")
_INDEX = "model.safetensors.index.json"

File = tuple[str, int, int]
"""Name, size and time of change of one file."""


def describe(name: str, folder: Path, source: Source, problem: str = "") -> ModelEntry:
    """The entry of one folder. Never raises: what is wrong is its `problem`.

    Remembered until a file of the folder changes. A given `problem` comes before any found here.
    """
    try:
        files = list_files(folder)
    except OSError as error:
        reason = f"{folder} cannot be read: {error.strerror}."
        return ModelEntry(name, folder, source, problem=problem or reason)
    entry = replace(_describe(name, folder, files), source=source)
    return replace(entry, problem=problem) if problem else entry


def list_files(folder: Path) -> tuple[File, ...]:
    """The regular files of a folder, links followed, in the order of their names."""
    found: list[File] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if len(found) == _MOST_FILES:
                break
            try:
                status = entry.stat()
            except (OSError, ValueError):
                continue
            if stat.S_ISREG(status.st_mode):
                found.append((entry.name, status.st_size, status.st_mtime_ns))
    return tuple(sorted(found))


@lru_cache(maxsize=2048)
def _describe(name: str, folder: Path, files: tuple[File, ...]) -> ModelEntry:
    names = frozenset(file for file, _, _ in files)
    entry = ModelEntry(name, folder, "path", bytes_on_disk=sum(size for _, size, _ in files))
    gguf = sorted(file for file in names if file.lower().endswith(".gguf"))
    if "config.json" not in names:
        problem = _gguf_problem(folder, gguf) if gguf else f"{folder} has no config.json."
        return replace(entry, problem=problem)
    config = read_object(folder / "config.json")
    if config is None:
        return replace(
            entry, problem=f"config.json in {folder} holds no settings; download the model again."
        )
    manifest = read_manifest(folder)
    entry = replace(
        entry,
        architecture=_architecture(config),
        context_window=context_window(config),
        licence=licence_of(folder) or (manifest.licence if manifest else ""),
    )
    if problem := _misfit(config, names):
        return replace(entry, problem=_gguf_problem(folder, gguf) if gguf else problem)
    signs = TokenizerSigns(folder)
    entry = replace(
        entry,
        capabilities=abilities(config, signs),
        purpose=_purpose(name, config, names, signs.can_chat),
    )
    try:
        tensors = folder_tensors(folder)
    except ModelUnavailable as error:
        return replace(entry, problem=str(error))
    return replace(
        entry,
        parameters=count_parameters(tensors, config),
        quantization=describe_quantization(tensors, config),
        problem=_missing_shards(folder, names),
    )


def _gguf_problem(folder: Path, files: list[str]) -> str:
    return (
        f"It is a GGUF file, which is not run as it is: `zib models import {folder / files[0]}` "
        "makes a model of it if its kind can be converted."
    )


def _misfit(config: Mapping[str, Any], names: frozenset[str]) -> str:
    """Why the engine would refuse the folder, in its own order."""
    family = config.get("model_type")
    if not isinstance(family, str):
        return "Its config.json does not say which family the model belongs to."
    if config.get("model_file"):
        return "It brings its own program code, which is not run: choose another."
    if not is_known_family(config):
        shown = family[:_LONGEST_NAME]
        return f"It belongs to the family {shown!r}, which this version cannot run."
    if not any(fnmatchcase(name, WEIGHT_FILES) for name in names):
        return "It has no weights that MLX loads (model*.safetensors): choose another form of it."
    return ""


def _missing_shards(folder: Path, names: frozenset[str]) -> str:
    index = read_object(folder / _INDEX) if _INDEX in names else None
    shards = index.get("weight_map") if index else None
    if not isinstance(shards, dict):
        return ""
    missing = sorted({shard for shard in shards.values() if isinstance(shard, str)} - names)
    # mlx-lm goes by the files that are there, so an index of other names does no harm.
    missing = [shard for shard in missing if fnmatchcase(shard, WEIGHT_FILES)]
    if not missing:
        return ""
    return f"{len(missing)} of its weight files are missing ({missing[0]}); download it again."


def _architecture(config: Mapping[str, Any]) -> str:
    family = config.get("model_type")
    return family[:_LONGEST_NAME] if isinstance(family, str) else ""


def _purpose(
    name: str, config: Mapping[str, Any], names: frozenset[str], can_chat: bool
) -> Purpose:
    heads = config.get("architectures")
    head = str(heads[0]) if isinstance(heads, list) and heads else ""
    if _RERANKER.search(name) or head.endswith("ForSequenceClassification"):
        return "reranker"
    if names & _EMBEDDING_FILES or _EMBEDDING.search(name) or _EMBEDDING.search(head):
        return "embedding"
    return "chat" if can_chat else "text"
