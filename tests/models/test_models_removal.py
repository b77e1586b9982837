"""Removing one model and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from filelock import FileLock

from engine.errors import ModelUnavailable
from engine.models.hub_cache import repository_folder
from engine.models.library import ModelEntry, ModelPlaces, find_models, model_at
from engine.models.removal import plan_removal, remove
from tests.models.model_folders import OTHER_COMMIT, write_hub_model, write_model


@pytest.fixture
def places(tmp_path: Path) -> ModelPlaces:
    return ModelPlaces(
        tmp_path / "models", tmp_path / "hub", (tmp_path / "lms",), tmp_path / "models" / "Built-in"
    )


def entry(places: ModelPlaces, name: str) -> ModelEntry:
    (found,) = (entry for entry in find_models(places) if entry.name == name)
    return found


def tree(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*")}


def test_a_folder_goes_with_the_empty_one_above_it(places: ModelPlaces) -> None:
    write_model(places.models_dir / "org" / "one")
    write_model(places.models_dir / "two")
    removal = plan_removal(entry(places, "org/one"), places)
    assert removal.paths == (places.models_dir / "org" / "one",)
    assert removal.freed_bytes == entry(places, "org/one").bytes_on_disk
    remove(removal)
    assert [found.name for found in find_models(places)] == ["Built-in", "two"]
    assert [path.name for path in places.models_dir.iterdir()] == ["two"]


def test_of_a_linked_model_only_the_link_goes(places: ModelPlaces, tmp_path: Path) -> None:
    outside = write_model(tmp_path / "elsewhere" / "m")
    before = tree(outside)
    places.models_dir.mkdir()
    (places.models_dir / "linked").symlink_to(outside)
    removal = plan_removal(entry(places, "linked"), places)
    assert removal.freed_bytes == 0
    remove(removal)
    assert not (places.models_dir / "linked").is_symlink()
    assert tree(outside) == before


def test_what_a_linked_folder_leads_to_is_not_touched(places: ModelPlaces, tmp_path: Path) -> None:
    outside = write_model(tmp_path / "elsewhere" / "m")
    places.models_dir.mkdir()
    (places.models_dir / "org").symlink_to(outside.parent)
    with pytest.raises(ModelUnavailable, match="really lies outside"):
        plan_removal(entry(places, "org/m"), places)
    assert outside.is_dir()


def test_a_model_given_by_path_is_not_touched(places: ModelPlaces, tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="delete the folder yourself"):
        plan_removal(model_at(write_model(tmp_path / "m")), places)


@pytest.mark.parametrize("source", ["models-folder", "lm-studio", "hub"])
@pytest.mark.parametrize("place", ["", "models", "models/../models/x", "elsewhere"])
def test_a_forged_entry_is_refused(
    places: ModelPlaces, tmp_path: Path, source: str, place: str
) -> None:
    (tmp_path / "elsewhere").mkdir()
    forged = ModelEntry("../elsewhere", tmp_path / place, source)  # type: ignore[arg-type]  # any source
    with pytest.raises(ModelUnavailable):
        remove(plan_removal(forged, places))
    assert (tmp_path / "elsewhere").is_dir()


def test_a_hub_model_goes_whole(places: ModelPlaces) -> None:
    write_hub_model(places.hub_cache, "org/one")
    write_hub_model(places.hub_cache, "org/two")
    other = tree(repository_folder(places.hub_cache, "org/two"))
    repository = repository_folder(places.hub_cache, "org/one")
    (repository / "blobs" / "x.zib.incomplete").write_bytes(b"12345")
    (places.hub_cache / ".locks" / repository.name).mkdir(parents=True)
    size = entry(places, "org/one").bytes_on_disk
    removal = plan_removal(entry(places, "org/one"), places)
    assert removal.freed_bytes == size + 5 + len("0" * 40)
    remove(removal)
    assert not repository.exists()
    assert tree(repository_folder(places.hub_cache, "org/two")) == other
    assert [path.name for path in places.hub_cache.iterdir()] == ["models--org--two"]


def test_what_another_revision_uses_stays(places: ModelPlaces) -> None:
    main = write_hub_model(places.hub_cache, "org/one")
    other = write_hub_model(places.hub_cache, "org/one", OTHER_COMMIT, is_main=False)
    # Both revisions have the same card and tokenizer.
    for name in ("README.md", "tokenizer.json"):
        (other / name).resolve().unlink()
        (other / name).unlink()
        (other / name).symlink_to((main / name).readlink())
    kept = {file.name: file.read_bytes() for file in other.iterdir()}
    removal = plan_removal(entry(places, "org/one"), places)
    own = [main / name for name in ("config.json", "model.safetensors", "tokenizer_config.json")]
    assert removal.freed_bytes == sum(file.stat().st_size for file in own) + len("0" * 40)
    remove(removal)
    assert entry(places, "org/one").folder == other
    assert entry(places, "org/one").problem == ""
    assert {file.name: file.read_bytes() for file in other.iterdir()} == kept
    remove(plan_removal(entry(places, "org/one"), places))
    assert list(places.hub_cache.iterdir()) == []


def test_a_snapshot_whose_links_lead_away_frees_nothing_elsewhere(
    places: ModelPlaces, tmp_path: Path
) -> None:
    snapshot = write_hub_model(places.hub_cache, "org/one")
    write_hub_model(places.hub_cache, "org/one", OTHER_COMMIT, is_main=False)
    precious = tmp_path / "precious"
    precious.write_text("x" * 1000)
    (snapshot / "more.json").symlink_to(precious)
    (snapshot / "up.json").symlink_to("../../../../precious")
    remove(plan_removal(entry(places, "org/one"), places))
    assert precious.read_text() == "x" * 1000
    assert not snapshot.exists()


def test_an_unfinished_download_can_be_removed(places: ModelPlaces) -> None:
    blobs = repository_folder(places.hub_cache, "org/half") / "blobs"
    blobs.mkdir(parents=True)
    (blobs / "x.zib.incomplete").write_bytes(b"half")
    removal = plan_removal(entry(places, "org/half"), places)
    assert removal.freed_bytes == 4
    remove(removal)
    assert list(places.hub_cache.iterdir()) == []


def test_what_is_being_downloaded_is_left_alone(places: ModelPlaces) -> None:
    write_hub_model(places.hub_cache, "org/one")
    locks = places.hub_cache / ".locks" / "models--org--one"
    locks.mkdir(parents=True)
    with FileLock(locks / "zib.lock"), pytest.raises(ModelUnavailable, match="being downloaded"):
        remove(plan_removal(entry(places, "org/one"), places))
    assert entry(places, "org/one").problem == ""


def test_the_built_in_model_can_be_removed_and_comes_back_to_the_list(places: ModelPlaces) -> None:
    write_model(places.builtin)
    remove(plan_removal(entry(places, "Built-in"), places))
    assert entry(places, "Built-in").bytes_on_disk == 0
    with pytest.raises(ModelUnavailable, match="not on this machine"):
        plan_removal(entry(places, "Built-in"), places)


def test_a_conversion_s_lock_goes_with_the_model(places: ModelPlaces) -> None:
    folder = write_model(places.models_dir / "org" / "one")
    folder.with_name(".one.converting.lock").touch()
    remove(plan_removal(entry(places, "org/one"), places))
    assert list(places.models_dir.iterdir()) == []
