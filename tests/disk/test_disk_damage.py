"""Damaged, foreign and outdated files: a miss, never a wrong cache and never an error."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from engine.worker.disk_tier_format import ALIGNMENT, MAGIC, VERSION, read_header, tensors_of
from engine.worker.disk_tier_identity import fingerprint_of
from engine.worker.disk_tier_layers import samples
from tests.cache.kinds import quantized
from tests.cache.subjects import KVCache
from tests.disk.disk_tools import (
    KEY,
    caches_of,
    entry_of,
    files_in,
    kept,
    opened,
    read_whole,
    restored,
)

TOKENS = list(range(100, 150))
PROMPT = [*TOKENS, 1]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file that can be restored."""
    kept(opened(tmp_path), entry_of(TOKENS))
    (file,) = files_in(tmp_path)
    return file


def regions(file: Path) -> dict[str, range]:
    """Every byte of a file has its place in one of these."""
    descriptor = os.open(file, os.O_RDONLY)
    opened_file = read_header(descriptor)
    os.close(descriptor)
    found = {
        "magic": range(8),
        "version": range(8, 12),
        "lengths": range(12, 24),
        "digest": range(24, 40),
    }
    end = 40 + len(file.read_bytes()[40 : opened_file.data_start].rstrip(b"\0"))
    found |= {"header": range(40, end), "padding": range(end, opened_file.data_start)}
    for number, tensor in enumerate(tensors_of(opened_file.header.layers)):
        start = opened_file.data_start + tensor.offset
        found[f"tensor {number}"] = range(start, start + tensor.nbytes)
        behind = min(start + ALIGNMENT, file.stat().st_size)
        found[f"padding {number}"] = range(start + tensor.nbytes, behind)
    return found


def test_every_byte_that_flips_is_a_miss_or_changes_nothing(file: Path, tmp_path: Path) -> None:
    whole = file.read_bytes()
    places = regions(file)
    assert len(places) == 6 + 2 * 4
    for name, region in places.items():
        for place in {*region[:: max(len(region) // 4, 1)], *region[-1:]}:
            damaged = bytearray(whole)
            damaged[place] ^= 1 << place % 8
            file.write_bytes(damaged)
            back = restored(opened(tmp_path), PROMPT)
            if name.startswith("padding"):
                assert back == TOKENS, (name, place)
            else:
                assert back is None, (name, place)
            is_newer = name == "version" and damaged[8:12] > VERSION.to_bytes(4, "little")
            assert file.exists() == (name.startswith("padding") or is_newer), (name, place)


def test_a_file_cut_off_anywhere_is_a_miss_and_goes(file: Path, tmp_path: Path) -> None:
    whole = file.read_bytes()
    lengths = [0, 1, 39, 40, 41, *range(100, len(whole), len(whole) // 17), len(whole) - 1]
    for length in lengths:
        file.write_bytes(whole[:length])
        assert restored(opened(tmp_path), PROMPT) is None, length
        assert not file.exists(), length
    file.write_bytes(whole + b"\0")
    assert restored(opened(tmp_path), PROMPT) is None
    file.write_bytes(whole)
    assert restored(opened(tmp_path), PROMPT) == TOKENS


def test_a_file_that_changes_after_it_was_looked_at_is_a_miss(file: Path, tmp_path: Path) -> None:
    tier = opened(tmp_path)
    held = tier.longest(KEY, PROMPT, 0)
    assert held is not None
    whole = bytearray(file.read_bytes())
    whole[-1] ^= 1
    file.write_bytes(whole)
    assert read_whole(held) is None
    assert tier.usage.failures == 1
    assert tier.longest(KEY, PROMPT, 0) is None
    tier.forget("nobody")
    assert not file.exists()


@pytest.mark.parametrize("part", ["model", "tokenizer", "template", "adapter", "kv"])
def test_a_file_of_another_model_is_a_miss_and_stays(part: str, file: Path, tmp_path: Path) -> None:
    other = replace(KEY, **{part: "another"})
    assert restored(opened(tmp_path, key=other), PROMPT, other) is None
    file.parent.rename(tmp_path / fingerprint_of(other))
    assert restored(opened(tmp_path, key=other), PROMPT, other) is None
    assert len(files_in(tmp_path)) == 1


def test_an_older_version_goes_and_a_newer_one_stays(file: Path, tmp_path: Path) -> None:
    whole = file.read_bytes()
    for version, stays in ((VERSION + 1, True), (VERSION - 1, False)):
        file.write_bytes(MAGIC + version.to_bytes(4, "little") + whole[12:])
        assert restored(opened(tmp_path), PROMPT) is None
        assert file.exists() == stays


def test_layers_unlike_the_models_are_refused(tmp_path: Path) -> None:
    kept(opened(tmp_path), entry_of(TOKENS))
    for caches in (caches_of([1, 2], layers=3), [quantized(), quantized()], [KVCache()]):
        assert restored(opened(tmp_path, looks=(samples(caches),)), PROMPT) is None
        assert not files_in(tmp_path)
        kept(opened(tmp_path), entry_of(TOKENS))


def test_what_no_row_of_the_model_looks_like_is_not_written(tmp_path: Path) -> None:
    tier = opened(tmp_path)
    entry = entry_of(TOKENS)
    assert entry.caches is not None
    entry.caches[1].trim(1)
    tier.offer(entry)
    assert not tier.flush(5).is_durable
    assert not files_in(tmp_path)
    assert tier.usage.failures == 1


def test_what_others_put_into_the_folder_is_let_alone(file: Path, tmp_path: Path) -> None:
    strange = [tmp_path / "notes.txt", file.parent / "notes.txt", tmp_path / "file.zibkv"]
    for path in strange:
        path.write_text("mine")
    os.mkfifo(file.parent / "pipe.zibkv")
    (file.parent / "link.zibkv").symlink_to(tmp_path / "notes.txt")
    (file.parent / "folder.zibkv").mkdir()
    assert restored(opened(tmp_path), PROMPT) == TOKENS
    assert all(path.read_text() == "mine" for path in strange)
