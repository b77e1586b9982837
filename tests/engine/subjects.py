"""The engines the contract is checked on."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from engine.config import EngineConfig
from engine.process import MLX_MODULE, SCRIPTED_MODULE, EngineLaunch

REPOSITORY = Path(__file__).resolve().parents[2]
QUESTION = "What is the capital of France?"
SLOW = "Tell it slowly: " + "one page of the notebook, dated and kept. " * 6
FAILING = "Fail at the third word"
SLOW_REPLY = "The first page says that every page is dated, and the next one says so too."


@dataclass(frozen=True)
class Subject:
    """An engine, its model, and what makes it comparable to the others.

    `slow` takes many prompt chunks and has a long answer.
    """

    kind: str
    launch: EngineLaunch
    model: str
    slow: str = SLOW

    @property
    def is_scripted(self) -> bool:
        return self.kind == "scripted"


def scripted_launch(folder: Path, *replies: dict[str, object]) -> EngineLaunch:
    """A scripted engine that says these things."""
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / "script.json"
    script.write_text(json.dumps(replies))
    return EngineLaunch(EngineConfig(str(folder / "cache"), script=str(script)), SCRIPTED_MODULE)


def scripted_model(folder: Path, **wishes: object) -> str:
    """A model folder for the scripted engine."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(wishes))
    return str(folder)


def scripted_subject(folder: Path) -> Subject:
    launch = scripted_launch(
        folder,
        {
            "match": "slowly",
            "text": SLOW_REPLY,
            "seconds_per_chunk": 0.2,
            "seconds_per_token": 0.05,
        },
        {"match": QUESTION, "text": "The capital of France is Paris, on the river Seine."},
        {"match": FAILING, "text": SLOW_REPLY, "fault": "raise", "fault_at": 3},
    )
    return Subject("scripted", launch, scripted_model(folder / "model"))


def mlx_launch(is_fast: bool = False) -> EngineLaunch:
    """The MLX engine with a cache that survives, as a user's does; small chunks to interrupt.

    The fast matrix library takes seconds to compile once, which small models do not repay.
    """
    place = os.environ.get("ZIB_TEST_CACHE") or REPOSITORY / ".pytest_cache"
    cache = Path(place) / "zib-engine"
    blas = None if is_fast else "off"
    return EngineLaunch(EngineConfig(str(cache), blas=blas, prefill_step=16), MLX_MODULE)


def mlx_subject(kind: str, model: Path) -> Subject:
    return Subject(kind, mlx_launch(is_fast=kind == "builtin"), str(model))
