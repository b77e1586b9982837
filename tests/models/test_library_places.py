"""Where models are looked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.models.places import find_places, hub_cache_dir, lm_studio_dirs

HOME = Path("/home/ada")


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, "/home/ada/.cache/huggingface/hub"),
        ({"XDG_CACHE_HOME": "/x"}, "/x/huggingface/hub"),
        ({"HF_HOME": "/h", "XDG_CACHE_HOME": "/x"}, "/h/hub"),
        ({"HF_HOME": "~/h"}, "/home/ada/h/hub"),
        ({"HUGGINGFACE_HUB_CACHE": "/old", "HF_HOME": "/h"}, "/old"),
        ({"HF_HUB_CACHE": "/new", "HUGGINGFACE_HUB_CACHE": "/old"}, "/new"),
        ({"HF_HUB_CACHE": "$DISK/hub", "DISK": "/mnt"}, "/mnt/hub"),
        ({"HF_HUB_CACHE": "${DISK}/hub", "DISK": "/mnt"}, "/mnt/hub"),
        ({"HF_HUB_CACHE": "", "HF_HOME": ""}, "/home/ada/.cache/huggingface/hub"),
    ],
)
def test_the_hub_cache_is_where_hugging_face_says(
    environment: dict[str, str], expected: str
) -> None:
    assert hub_cache_dir(environment, HOME) == Path(expected)


def test_lm_studio_is_looked_for_in_both_its_defaults(tmp_path: Path) -> None:
    assert lm_studio_dirs(tmp_path) == (
        tmp_path / ".lmstudio" / "models",
        tmp_path / ".cache" / "lm-studio" / "models",
    )


def test_the_pointer_file_and_the_chosen_folder_come_first(tmp_path: Path) -> None:
    studio = tmp_path / "elsewhere"
    studio.mkdir()
    (tmp_path / ".lmstudio-home-pointer").write_text(f"{studio}\n")
    (studio / "settings.json").write_text(json.dumps({"downloadsFolder": "/big/models"}))
    assert lm_studio_dirs(tmp_path)[:2] == (Path("/big/models"), studio / "models")


@pytest.mark.parametrize("pointer", [b"", b"\xff\xfe", b"relative/path", b"\0", b"x" * 5000])
def test_a_damaged_pointer_file_changes_nothing(tmp_path: Path, pointer: bytes) -> None:
    (tmp_path / ".lmstudio-home-pointer").write_bytes(pointer)
    (tmp_path / ".lmstudio").mkdir()
    (tmp_path / ".lmstudio" / "settings.json").write_text("{")
    assert lm_studio_dirs(tmp_path)[-2:] == (
        tmp_path / ".lmstudio" / "models",
        tmp_path / ".cache" / "lm-studio" / "models",
    )


def test_all_places_of_a_user(tmp_path: Path) -> None:
    places = find_places(tmp_path / "m", tmp_path / "m" / "b", {"HF_HOME": "/h"}, tmp_path)
    assert (places.models_dir, places.builtin) == (tmp_path / "m", tmp_path / "m" / "b")
    assert places.hub_cache == Path("/h/hub")
    assert len(places.lm_studio_dirs) == 2
