"""Which models are found, and what is said of those that cannot be loaded."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from engine.models.hub_cache import is_repository_name, repository_folder
from engine.models.hub_name import name_of
from engine.models.library import ModelEntry, ModelPlaces, find_models, model_at
from tests.models.model_folders import (
    COMMIT,
    LLAMA,
    OTHER_COMMIT,
    write_hub_model,
    write_model,
    write_weights,
)


@pytest.fixture
def places(tmp_path: Path) -> ModelPlaces:
    return ModelPlaces(
        tmp_path / "models",
        tmp_path / "hub",
        (tmp_path / "lmstudio",),
        tmp_path / "models" / "Built-in",
    )


def found(places: ModelPlaces) -> dict[str, ModelEntry]:
    return {entry.name: entry for entry in find_models(places)}


def test_without_any_folder_there_is_the_built_in_model(places: ModelPlaces) -> None:
    (entry,) = find_models(places)
    assert (entry.name, entry.source, entry.problem) == ("Built-in", "builtin", "")
    assert entry.bytes_on_disk == 0


def test_every_place_is_searched(places: ModelPlaces) -> None:
    write_model(places.builtin)
    write_model(places.models_dir / "mine")
    write_model(places.models_dir / "org" / "nested")
    write_hub_model(places.hub_cache, "org/hubbed")
    write_model(places.lm_studio_dirs[0] / "maker" / "studio")
    entries = find_models(places)
    assert [(entry.name, entry.source) for entry in entries] == [
        ("Built-in", "builtin"),
        ("mine", "models-folder"),
        ("org/nested", "models-folder"),
        ("org/hubbed", "hub"),
        ("maker/studio", "lm-studio"),
    ]
    assert {entry.problem for entry in entries} == {""}


def test_many_snapshots_are_one_row_and_main_counts(places: ModelPlaces) -> None:
    main = write_hub_model(places.hub_cache, "org/name")
    newer = write_hub_model(places.hub_cache, "org/name", OTHER_COMMIT, is_main=False)
    os.utime(main, (1, 1))
    assert found(places)["org/name"].folder == main
    (newer.parent.parent / "refs" / "main").unlink()
    assert found(places)["org/name"].folder == newer
    (newer.parent.parent / "refs" / "main").write_text("../../../etc")
    assert found(places)["org/name"].folder == newer


def test_a_file_that_a_snapshot_misses_is_an_unfinished_download(places: ModelPlaces) -> None:
    snapshot = write_hub_model(places.hub_cache, "org/name")
    (snapshot / "model.safetensors").resolve().unlink()
    assert found(places)["org/name"].problem == (
        "Its download is unfinished: `zib models get org/name` goes on with it."
    )


def test_a_download_without_a_snapshot_yet_is_shown(places: ModelPlaces) -> None:
    blobs = repository_folder(places.hub_cache, "org/name") / "blobs"
    blobs.mkdir(parents=True)
    (blobs / "abc.incomplete").write_bytes(b"half")
    assert "unfinished" in found(places)["org/name"].problem
    (blobs / "abc.incomplete").unlink()
    assert "org/name" not in found(places)


def test_a_newer_revision_on_its_way_does_not_spoil_the_whole_one(places: ModelPlaces) -> None:
    snapshot = write_hub_model(places.hub_cache, "org/name")
    (snapshot.parent.parent / "blobs" / "new.incomplete").write_bytes(b"half")
    assert found(places)["org/name"].problem == ""


def test_an_index_that_names_more_shards_is_an_unfinished_download(places: ModelPlaces) -> None:
    snapshot = write_hub_model(places.hub_cache, "org/name")
    weight_map = '{"a": "model-00001.safetensors", "b": "model-00002.safetensors"}'
    (snapshot / "model.safetensors.index.json").write_text(f'{{"weight_map": {weight_map}}}')
    assert "2 of its weight files are missing" in found(places)["org/name"].problem
    (snapshot.parent.parent / "blobs" / "x.incomplete").touch()
    assert "unfinished" in found(places)["org/name"].problem


def test_what_hugging_face_noted_tells_an_unfinished_download(places: ModelPlaces) -> None:
    snapshot = write_hub_model(places.hub_cache, "org/name")
    trees = snapshot.parent.parent / "trees"
    trees.mkdir()
    files: dict[str, dict[str, int]] = {
        "model.safetensors": {},
        "sub/model.safetensors": {},
        "modeling.py": {},
    }
    (trees / f"{COMMIT}.json").write_text(json.dumps({"format_version": 1, "files": files}))
    assert found(places)["org/name"].problem == ""
    files["model-2.safetensors"] = {}
    (trees / f"{COMMIT}.json").write_text(json.dumps({"format_version": 1, "files": files}))
    assert "unfinished" in found(places)["org/name"].problem
    (trees / f"{COMMIT}.json").write_text('{"files": [3]}')
    assert found(places)["org/name"].problem == ""


def test_a_folder_reached_twice_counts_once(places: ModelPlaces) -> None:
    snapshot = write_hub_model(places.hub_cache, "org/name")
    places.models_dir.mkdir()
    (places.models_dir / "linked").symlink_to(snapshot)
    (places.models_dir / "again").symlink_to(places.models_dir)
    assert [entry.name for entry in find_models(places)] == ["Built-in", "linked"]


def test_a_gguf_file_says_how_it_becomes_a_model(places: ModelPlaces) -> None:
    folder = places.lm_studio_dirs[0] / "maker" / "Model-GGUF"
    folder.mkdir(parents=True)
    (folder / "model.Q4_1.gguf").write_bytes(b"GGUF")
    problem = found(places)["maker/Model-GGUF"].problem
    assert f"zib models import {folder / 'model.Q4_1.gguf'}" in problem


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ({"model_type": "whisper"}, "'whisper', which this version cannot run"),
        ({"model_type": "cache"}, "'cache', which this version cannot run"),
        ({"model_type": "../llama"}, "cannot run"),
        ({"model_type": 7}, "does not say which family"),
        ({}, "does not say which family"),
        ({**LLAMA, "model_file": "evil.py"}, "brings its own program code"),
    ],
)
def test_what_the_engine_would_refuse_is_known_before(
    tmp_path: Path, config: dict[str, object], problem: str
) -> None:
    assert problem in model_at(write_model(tmp_path / "m", config)).problem


def test_a_remapped_family_is_known(tmp_path: Path) -> None:
    assert model_at(write_model(tmp_path / "m", {**LLAMA, "model_type": "mistral"})).problem == ""


def test_a_path_without_a_model_says_so(tmp_path: Path) -> None:
    assert "no folder" in model_at(tmp_path / "gone").problem
    assert "no config.json" in model_at(tmp_path).problem
    folder = write_model(tmp_path / "bare")
    (folder / "model.safetensors").unlink()
    write_weights(folder / "weights.safetensors")
    assert "no weights that MLX loads" in model_at(folder).problem


def test_a_changed_file_is_noticed(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m")
    assert model_at(folder).problem == ""
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[:-1])
    assert "cut short" in model_at(folder).problem
    (folder / "model.safetensors").write_bytes(whole)
    assert model_at(folder).problem == ""


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("org/name", True),
        ("gpt2", True),
        ("mlx-community/Qwen3-4B-4bit", True),
        ("a.b/c_d-e.f", True),
        ("org/name/more", False),
        ("../name", False),
        ("org/..", False),
        ("org--x/name", False),
        ("org/na me", False),
        ("org/näme", False),
        ("-org/name", False),
        ("org/name.", False),
        ("org/name\n", False),
        ("", False),
    ],
)
def test_repository_names(name: str, is_one: bool) -> None:
    assert is_repository_name(name) is is_one


def test_a_snapshot_is_called_by_its_repository() -> None:
    folder = repository_folder(Path("/hub"), "org/name") / "snapshots" / COMMIT
    assert name_of(folder) == "org/name"
    assert name_of(Path("/models/mine")) == "mine"
