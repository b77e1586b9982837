"""Folders that nobody sane would make: looking at them never raises and never hangs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.models.library import ModelPlaces, find_models, model_at
from tests.models.model_folders import LLAMA, write_hub_model, write_model, write_weights

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
KEYS = st.sampled_from(
    [
        "model_type",
        "architectures",
        "max_position_embeddings",
        "text_config",
        "quantization",
        "quantization_config",
        "quant_method",
        "bits",
        "mode",
        "vision_config",
        "chat_template",
        "added_tokens_decoder",
        "tool_parser_type",
        "weight_map",
        "content",
        "files",
    ]
)
SETTINGS = st.dictionaries(KEYS, JSON | st.dictionaries(KEYS, JSON, max_size=4), max_size=8)


def places_in(folder: Path) -> ModelPlaces:
    return ModelPlaces(folder / "models", folder / "hub", (folder / "lms",), folder / "built-in")


@settings(
    deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(config=SETTINGS, tokenizer=SETTINGS, index=SETTINGS, manifest=SETTINGS, keeps=st.booleans())
def test_any_settings_are_survived(
    tmp_path_factory: pytest.TempPathFactory,
    config: dict[str, Any],
    tokenizer: dict[str, Any],
    index: dict[str, Any],
    manifest: dict[str, Any],
    keeps: bool,
) -> None:
    folder = tmp_path_factory.mktemp("hostile") / "m"
    write_model(folder, {**config, **(LLAMA if keeps else {})}, tokenizer)
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    (folder / "zibaldone.json").write_text(json.dumps(manifest))
    entry = model_at(folder)
    assert entry.parameters >= 0
    assert entry.context_window >= 0
    assert len(entry.architecture) <= 40
    assert isinstance(entry.problem, str)


@settings(
    deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(content=st.binary(max_size=64), name=st.sampled_from(["config", "tokenizer", "weights"]))
def test_any_bytes_are_survived(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, name: str
) -> None:
    folder = write_model(tmp_path_factory.mktemp("hostile") / "m")
    file = {
        "config": "config.json",
        "tokenizer": "tokenizer_config.json",
        "weights": "model.safetensors",
    }[name]
    (folder / file).write_bytes(content)
    problem = model_at(folder).problem
    assert bool(problem) is (name != "tokenizer")


@pytest.mark.parametrize(
    "file", ["config.json", "tokenizer.json", "README.md", "model.safetensors"]
)
@pytest.mark.parametrize("kind", ["pipe", "folder", "loop", "zero", "secret", "dangling"])
def test_what_is_no_file_is_not_read(tmp_path: Path, file: str, kind: str) -> None:
    folder = write_model(tmp_path / "m")
    odd = folder / file
    odd.unlink()
    match kind:
        case "pipe":
            os.mkfifo(odd)
        case "folder":
            odd.mkdir()
        case "loop":
            odd.symlink_to(odd.name)
        case "zero":
            odd.symlink_to("/dev/zero")
        case "secret":
            odd.symlink_to("/etc/passwd")
        case _:
            odd.symlink_to("/nowhere/at/all")
    entry = model_at(folder)
    if file in {"config.json", "model.safetensors"}:
        assert entry.problem
    else:
        assert (entry.problem, entry.licence) == ("", "" if file == "README.md" else "apache-2.0")


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json", "tokenizer_config.json"])
def test_a_file_of_many_gigabytes_is_not_read_whole(tmp_path: Path, file: str) -> None:
    folder = write_model(tmp_path / "m")
    with (folder / file).open("r+b") as stream:
        stream.truncate(1 << 36)
    assert bool(model_at(folder).problem) is (file == "config.json")


def test_deep_nesting_is_no_settings(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m")
    (folder / "config.json").write_text("[" * 200_000)
    assert "holds no settings" in model_at(folder).problem
    (folder / "config.json").write_text('{"a":' * 200_000)
    assert "holds no settings" in model_at(folder).problem


def test_links_that_lead_in_circles_end(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    (places.models_dir / "a" / "b").mkdir(parents=True)
    for number in range(30):
        (places.models_dir / f"up{number}").symlink_to(places.models_dir)
        (places.models_dir / "a" / "b" / f"up{number}").symlink_to(places.models_dir / "a")
    write_model(places.models_dir / "a" / "b" / "real")
    names = [entry.name for entry in find_models(places)]
    assert len(names) == 2
    assert names[1].endswith("b/real")


def test_a_whole_disk_below_the_models_folder_is_not_walked_to_its_depths(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    write_model(places.models_dir / "1" / "2" / "3" / "4")
    write_model(places.models_dir / "1" / "2" / "3" / "x" / "5")
    assert [entry.name for entry in find_models(places)] == ["built-in", "1/2/3/4"]


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31mred", "x∕..", "x" * 250, "\udcff", " ", "[red]"])
def test_odd_names_are_only_names(tmp_path: Path, name: str) -> None:
    places = places_in(tmp_path)
    write_model(places.models_dir / name)
    write_hub_model(places.hub_cache, f"o/{name[:200]}")
    entries = find_models(places)
    assert [entry.name for entry in entries[1:]] == [name, f"o/{name[:200]}"]
    assert [entry.problem for entry in entries] == ["", "", ""]


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable for root")
def test_what_may_not_be_read_has_a_problem(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    folder = write_model(places.models_dir / "closed")
    hub = write_hub_model(places.hub_cache, "org/name")
    (folder / "config.json").chmod(0)
    hub.chmod(0)
    try:
        problems = [entry.problem for entry in find_models(places)[1:]]
    finally:
        hub.chmod(0o755)
    assert len(problems) == 2
    assert all(problems)


def test_places_that_are_files_hold_nothing(tmp_path: Path) -> None:
    for name in ("models", "hub", "lms"):
        (tmp_path / name).write_text("not a folder")
    assert [entry.name for entry in find_models(places_in(tmp_path))] == ["built-in"]


def test_shards_by_the_thousand_are_counted_and_bounded(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m")
    for number in range(600):
        write_weights(folder / f"model-{number:05}.safetensors", {f"t{number}": ("F32", (1,))})
    assert model_at(folder).parameters == 808 + 600
