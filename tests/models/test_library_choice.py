"""Choosing among models: by name, by part of a name, by path, by what fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import ModelUnavailable
from engine.models.choice import choose_automatically, choose_loadable, choose_model
from engine.models.library import ModelEntry
from engine.plan.contract import MemoryPlan
from tests.models.model_folders import write_model

GIB = 1024**3
BUILTIN = ModelEntry("SmolLM2-135M-Instruct", Path("/m/b"), "builtin", bytes_on_disk=100)


def entry(name: str, gigabytes: float = 1.0, problem: str = "") -> ModelEntry:
    return ModelEntry(
        name, Path("/hub") / name, "hub", bytes_on_disk=int(gigabytes * 1e9), problem=problem
    )


ENTRIES = (
    BUILTIN,
    entry("mlx-community/Qwen3-4B-4bit"),
    entry("mlx-community/Qwen3-4B-4bit-DWQ"),
    entry("mlx-community/gemma-3-4b-it-4bit"),
    entry("org/broken", problem="Its download is unfinished."),
)


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("mlx-community/Qwen3-4B-4bit", "mlx-community/Qwen3-4B-4bit"),
        ("Qwen3-4B-4bit", "mlx-community/Qwen3-4B-4bit"),
        ("qwen3-4b-4bit", "mlx-community/Qwen3-4B-4bit"),
        ("GEMMA", "mlx-community/gemma-3-4b-it-4bit"),
        ("  dwq ", "mlx-community/Qwen3-4B-4bit-DWQ"),
        ("135m", "SmolLM2-135M-Instruct"),
        ("broken", "org/broken"),
    ],
)
def test_a_name_or_a_part_of_it(wanted: str, name: str) -> None:
    assert choose_model(ENTRIES, wanted).name == name


@pytest.mark.parametrize(
    ("wanted", "parts"),
    [
        ("qwen", ["Qwen3-4B-4bit, mlx-community/Qwen3-4B-4bit-DWQ", "give more of the name"]),
        ("llama", ["No model called 'llama'", "gemma-3-4b-it-4bit", "zib models list"]),
        ("org/other", ["zib models get org/other"]),
        ("", ["zib models list"]),
        ("/nowhere/~", ["no folder"]),
        ("~nobody-of-this-name/x", ["user who does not exist"]),
    ],
)
def test_none_or_several_list_candidates(wanted: str, parts: list[str]) -> None:
    with pytest.raises(ModelUnavailable) as caught:
        choose_loadable(ENTRIES, wanted)
    for part in parts:
        assert part in str(caught.value)


def test_a_long_list_of_candidates_is_cut() -> None:
    many = [entry(f"org/model-{number:02}") for number in range(20)]
    with pytest.raises(ModelUnavailable, match="org/model-07 and 12 more"):
        choose_model(many, "model")


def test_a_model_with_a_problem_is_named_with_it() -> None:
    with pytest.raises(ModelUnavailable, match=r"broken cannot be loaded\. Its d"):
        choose_loadable(ENTRIES, "broken")


def test_what_can_be_loaded_is_meant_before_what_cannot() -> None:
    entries = (entry("a/Qwen3-8B", problem="Unfinished."), entry("b/Qwen3-8B-4bit"))
    assert choose_loadable(entries, "qwen3").name == "b/Qwen3-8B-4bit"


def test_of_two_with_one_name_the_first_counts() -> None:
    twice = (entry("org/a"), replace(entry("org/a"), source="lm-studio", folder=Path("/lms/a")))
    assert choose_model(twice, "org/a").source == "hub"
    assert choose_model(twice, "A").source == "hub"
    assert choose_model(twice, "/lms/a").source == "lm-studio"


def test_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_model(tmp_path / "models" / "mine")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for wanted in (str(folder), "~/models/mine", "./models/mine", "models/mine"):
        chosen = choose_loadable(ENTRIES, wanted)
        assert (chosen.folder, chosen.source, chosen.name) == (folder, "path", "mine")
    known = replace(BUILTIN, folder=folder)
    assert choose_model([known], "~/models/mine") is known
    (tmp_path / "x.gguf").touch()
    with pytest.raises(ModelUnavailable, match="zib models import"):
        choose_model(ENTRIES, "./x.gguf")


@pytest.mark.parametrize("wanted", ["b" * 300, "b" * 5000, f"/{'b' * 300}", "/\0", "\0", "\udcff"])
def test_a_name_no_file_can_have_is_only_not_found(wanted: str) -> None:
    with pytest.raises(ModelUnavailable):
        choose_loadable(ENTRIES, wanted)


def planner(usable_gigabytes: float) -> Callable[[ModelEntry], MemoryPlan]:
    """Weights and a tenth more, as a plan."""

    def plan(candidate: ModelEntry) -> MemoryPlan:
        assert candidate.source != "builtin"
        assert not candidate.problem
        total = candidate.bytes_on_disk * 11 // 10
        usable = int(usable_gigabytes * 1e9)
        return MemoryPlan(
            strategy="generic-kv",
            fits=total <= usable,
            context_tokens=4096,
            max_safe_context=4096,
            weights_bytes=total,
            kv_bytes=0,
            transient_bytes=0,
            reserve_bytes=0,
            total_bytes=total,
            usable_bytes=usable,
            verdict="fits" if total <= usable else "too-big",
        )

    return plan


SHELF = (
    BUILTIN,
    entry("gemma-e4b", 4.2),
    entry("gemma-12b", 7.0),
    entry("gemma-26b", 15.6),
    entry("huge", 400, problem="Its download is unfinished."),
    replace(entry("huge-embedding", 9), purpose="embedding"),
    replace(entry("huge-reranker", 9.1), purpose="reranker"),
    replace(entry("huge-base", 9.2), purpose="text"),
)


@pytest.mark.parametrize(
    ("usable", "name"),
    [
        (18.0, "gemma-12b"),  # a machine of 24 GB: 26B would need all of it
        (12.8, "gemma-e4b"),  # 12B is one byte in a hundred over its share
        (12.84, "gemma-12b"),
        (96.0, "gemma-26b"),
        (16.5, "gemma-12b"),  # 26B would fit, leaving nothing free
        (6.0, "SmolLM2-135M-Instruct"),  # where only heavy ones are there, the small one is taken
        (0.0, "SmolLM2-135M-Instruct"),
    ],
)
def test_the_largest_that_leaves_forty_percent_free(usable: float, name: str) -> None:
    assert choose_automatically(SHELF, planner(usable)).name == name


def test_a_plan_that_does_not_fit_is_never_chosen() -> None:
    def refuse(candidate: ModelEntry) -> MemoryPlan:
        plan = planner(96)(candidate)
        return MemoryPlan(
            **{
                field: getattr(plan, field)
                for field in plan.__struct_fields__
                if field not in {"fits", "verdict"}
            },
            fits=False,
            verdict="unknown",
        )

    assert choose_automatically(SHELF, refuse).source == "builtin"


def test_without_a_built_in_entry_there_may_be_none() -> None:
    with pytest.raises(ModelUnavailable, match="zib models list"):
        choose_automatically(SHELF[1:], planner(1))
    with pytest.raises(ModelUnavailable):
        choose_automatically((), planner(1))
