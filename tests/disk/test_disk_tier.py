"""The tier as the prompt cache uses it: finding, superseding, evicting, forgetting."""

from __future__ import annotations

import os
import weakref
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.serving.backend import Saved
from engine.worker.cache_entry import Entry, token_array
from engine.worker.disk_tier import DiskTier
from engine.worker.disk_tier_catalogue import common_length
from engine.worker.disk_tier_identity import fingerprint_of
from engine.worker.disk_tier_layers import samples
from engine.worker.disk_tier_names import MOST_OWNERS
from engine.worker.disk_tier_queue import WriteQueue
from tests.cache.kinds import after, plain_ring
from tests.disk.disk_tools import (
    KEY,
    caches_of,
    entry_of,
    files_in,
    found,
    kept,
    opened,
    restored,
)

A = list(range(1000, 1050))
B = [*A[:40], *range(2000, 2020)]


def begin(tier: DiskTier, root: Path) -> None:
    """Have a file begun, but not finished."""
    while not list(root.rglob("*.tmp")):
        assert tier.upkeep(99) is not None


def test_the_next_engine_finds_what_the_last_one_wrote(tmp_path: Path) -> None:
    first = opened(tmp_path)
    entry = kept(first, entry_of(A))
    assert first.holds(entry)
    assert restored(first, [*A, 5]) == A
    second = opened(tmp_path)
    assert second.holds(entry)
    assert restored(second, [*A, 5]) == A
    assert second.usage.restores == 1
    assert second.usage.entries == 1
    assert second.usage.nbytes == files_in(tmp_path)[0].stat().st_size


@pytest.mark.parametrize(
    ("prompt", "usable"),
    [
        ([*A, 5], 50),
        (A, 49),
        (A[:41], 40),
        ([*A[:45], 7, 8], 45),
        ([*B, 7], 60),
        ([*B[:50], 7], 50),
        ([7, *A], 0),
        ([], 0),
        (A[:1], 0),
    ],
)
def test_the_file_that_saves_most_is_found(prompt: list[int], usable: int, tmp_path: Path) -> None:
    tier = opened(tmp_path)
    kept(tier, entry_of(A))
    kept(tier, entry_of(B))
    for each in (tier, opened(tmp_path)):
        assert found(each, prompt) == usable
        assert found(each, prompt, at_least=usable) == 0
        assert found(each, prompt, at_least=max(usable - 32, 0)) == usable
        assert found(each, prompt, at_least=max(usable - 31, 0)) == 0


def test_a_long_file_is_not_read_for_a_few_tokens(tmp_path: Path) -> None:
    tier = opened(tmp_path)
    long = kept(tier, entry_of(range(1000))).tokens
    assert found(tier, [*long[:62], 0]) == 0
    assert found(tier, [*long[:63], 0]) == 63
    kept(tier, entry_of([*long[:63], *range(2000, 2010)]))
    match = tier.longest(KEY, [*long[:63], 0], 0)
    assert match is not None
    assert len(match.match.stored.tokens) == 73


def ring_entry(tokens: int) -> Entry:
    """A window that has moved on: nothing can be taken back."""
    cache = after(plain_ring, 33, *[1] * (tokens - 33))
    return Entry(KEY, token_array(range(tokens)), [cache], {"chat"})


def test_what_cannot_be_trimmed_serves_only_whole_and_outlives_a_longer_one(
    tmp_path: Path,
) -> None:
    looks = (samples(ring_entry(40).caches or ()),)
    tier = opened(tmp_path, looks=looks)
    kept(tier, ring_entry(40))
    kept(tier, ring_entry(45))
    for each in (tier, opened(tmp_path, looks=looks)):
        assert [found(each, range(count)) for count in (40, 41, 45, 46, 99)] == [0, 40, 40, 45, 45]
    assert len(files_in(tmp_path)) == 2
    kept(opened(tmp_path, looks=looks), ring_entry(45))
    assert len(files_in(tmp_path)) == 2


def test_a_longer_trimmable_file_takes_the_place_of_its_beginnings(tmp_path: Path) -> None:
    tier = opened(tmp_path)
    for tokens in (A[:35], A[:40], B):
        kept(tier, entry_of(tokens))
    kept(tier, entry_of(A, "other"))
    tier.forget("nobody")
    assert len(files_in(tmp_path)) == 2
    assert restored(tier, [*A[:45], 3]) == A
    assert restored(tier, [*B, 3]) == B


def test_what_is_stored_already_is_not_written_again(tmp_path: Path) -> None:
    tier = opened(tmp_path)
    kept(tier, entry_of(A))
    for tokens in (A, A[:40]):
        tier.offer(entry_of(tokens, "other"))
        assert tier.flush(5) == Saved(0, 0, True)
    assert len(files_in(tmp_path)) == 1


def test_the_files_unused_for_longest_go_first_and_never_the_newest(tmp_path: Path) -> None:
    kept(opened(tmp_path / "one"), entry_of(A))
    size = files_in(tmp_path / "one")[0].stat().st_size
    tier = opened(tmp_path, limit=3 * size + 10)
    prompts = [[number, *A] for number in range(5)]
    for prompt in prompts[:3]:
        kept(tier, entry_of(prompt[:-1]))
    tier.forget("nobody")
    for age, file in enumerate(sorted(tmp_path.glob("*/*.zibkv"), key=lambda f: f.stat().st_mtime)):
        os.utime(file, (100 + age, 100 + age))
    tier = opened(tmp_path, limit=3 * size + 10)
    assert restored(tier, prompts[0]) == prompts[0][:-1]
    for prompt in prompts[3:]:
        kept(tier, entry_of(prompt[:-1]))
        tier.forget("nobody")
    assert [found(tier, prompt) > 1 for prompt in prompts] == [True, False, False, True, True]
    small = opened(tmp_path, limit=size + 10)
    kept(small, entry_of([9, *A[:-1]]))
    small.forget("nobody")
    assert len(list(tmp_path.glob("*/*.zibkv"))) == 1
    assert found(small, [9, *A]) == 50


def test_an_entry_larger_than_the_tier_is_refused(tmp_path: Path) -> None:
    tier = opened(tmp_path, limit=20_000)
    tier.offer(entry_of(A))
    assert not tier.flush(5).is_durable
    assert not files_in(tmp_path)
    assert tier.usage.fault == ""


def test_a_tier_of_no_size_keeps_nothing_and_removes_what_was_kept(tmp_path: Path) -> None:
    kept(opened(tmp_path), entry_of(A))
    tier = opened(tmp_path, limit=0)
    tier.offer(entry_of(A))
    assert tier.upkeep(99) is None
    assert not tier.flush(5).is_durable
    assert not files_in(tmp_path)
    nowhere = DiskTier()
    nowhere.open(KEY, ())
    nowhere.offer(entry_of(A))
    assert nowhere.longest(KEY, A, 0) is None
    assert nowhere.forget("chat") == 0
    assert not nowhere.flush(1).is_durable


def test_what_an_owner_alone_uses_is_forgotten_whatever_model_it_was(tmp_path: Path) -> None:
    other_key = type(KEY)("other", "", "", "", "")
    kept(opened(tmp_path, key=other_key), entry_of(A, "mine", key=other_key))
    tier = opened(tmp_path)
    kept(tier, entry_of([1, *A], "mine"))
    kept(tier, entry_of([2, *A], "mine", "yours"))
    kept(tier, entry_of([3, *A], "yours"))
    (foreign,) = (
        path for path in files_in(tmp_path) if path.parent.name == fingerprint_of(other_key)
    )
    foreign.write_bytes(b"damaged")
    assert tier.forget("mine") == 2
    assert [found(tier, [number, *A, 0]) > 1 for number in (1, 2, 3)] == [False, True, True]
    assert restored(tier, [2, *A, 0]) == [2, *A]
    assert len(files_in(tmp_path)) == 2
    assert opened(tmp_path).forget("yours") == 2
    assert not files_in(tmp_path)


def test_what_is_being_written_is_forgotten_too(tmp_path: Path) -> None:
    tier = opened(tmp_path)
    mine, shared = entry_of([1, *A], "mine"), entry_of([2, *A], "mine", "yours")
    tier.offer(mine)
    tier.offer(shared)
    begin(tier, tmp_path)
    shared.owners.discard("mine")
    tier.forget("mine")
    assert not list(tmp_path.rglob("*.tmp"))
    assert tier.flush(5).entries == 1
    assert tier.forget("yours") == 1
    assert not files_in(tmp_path)


def test_more_owners_than_a_name_holds(tmp_path: Path) -> None:
    tier = opened(tmp_path)
    owners = [f"chat {number}" for number in range(MOST_OWNERS + 5)]
    kept(tier, entry_of(A, *owners))
    for owner in owners:
        tier.forget(owner)
    assert not files_in(tmp_path)


def test_the_spellings_of_an_owner_come_latest_first(tmp_path: Path) -> None:
    tier = opened(tmp_path)
    kept(tier, entry_of([1, *A], "mine"))
    kept(tier, entry_of([2, *A], "mine", "yours"))
    kept(tier, entry_of([3, *A], "yours"))
    for file in files_in(tmp_path):
        os.utime(file, (file.stat().st_mtime,) * 2)
    for each in (tier, opened(tmp_path)):
        assert [next(iter(tokens)) for tokens in each.spellings(KEY, "mine")] == [2, 1]
        assert not each.spellings(KEY, "nobody")


def test_temporary_chats_nobodys_and_a_few_tokens_are_never_written(tmp_path: Path) -> None:
    tier = opened(tmp_path)
    secret = entry_of(A)
    secret.is_temporary = True
    tier.offer(secret)
    tier.offer(entry_of(A[:10]))
    nobodys = entry_of(A)
    nobodys.owners.clear()
    tier.offer(nobodys)
    assert tier.upkeep(99) is None
    assert tier.flush(5).entries == 0
    assert not files_in(tmp_path)


def test_nothing_is_written_before_a_while_nothing_was_asked(tmp_path: Path) -> None:
    tier = opened(tmp_path)
    assert tier.upkeep(99) is None
    tier.offer(entry_of(A))
    assert tier.usage.pending_bytes > 0
    pause = tier.upkeep(0.4)
    assert pause == pytest.approx(0.6)
    assert not list(tmp_path.rglob("*.*"))
    while (pause := tier.upkeep(1.1)) is not None:
        assert pause < 1
    assert tier.usage.pending_bytes == 0
    assert found(tier, [*A, 1]) == 50
    # Little of it is new: disks wear out.
    tier.offer(entry_of([*A, 1, 2]))
    assert (tier.upkeep(5) or 0) > 20
    assert tier.flush(5).entries == 1


def test_an_entry_whose_caches_went_elsewhere_is_not_written(tmp_path: Path) -> None:
    tier = opened(tmp_path)
    entry = entry_of(A)
    tier.offer(entry)
    begin(tier, tmp_path)
    entry.caches = None
    while tier.upkeep(99) is not None:
        pass
    tier.forget("nobody")
    assert not files_in(tmp_path)
    assert tier.usage.pending_bytes == 0


def test_what_the_prompt_cache_gives_up_frees_its_memory_and_is_not_written(
    tmp_path: Path,
) -> None:
    tier = opened(tmp_path)
    entry = Entry(KEY, token_array(A), caches_of(A), {"chat"})
    cache = weakref.ref((entry.caches or [])[0])
    tier.offer(entry)
    begin(tier, tmp_path)
    del entry
    assert cache() is None
    while tier.upkeep(99) is not None:
        pass
    tier.forget("nobody")
    assert not files_in(tmp_path)


def test_the_queue_is_bounded_and_keeps_the_newest() -> None:
    one = entry_of(A).nbytes
    queue = WriteQueue(most_bytes=3 * one, most=100)
    for number in range(5):
        queue.add(entry_of([number, *A[1:]]))
    assert [entry.tokens[0] for entry in queue] == [4, 3, 2]
    assert queue.has_dropped
    queue.add(entry_of([9] * 700))
    assert [len(entry.tokens) for entry in queue] == [700]
    bounded = WriteQueue(most=2)
    for number in range(4):
        bounded.add(entry_of([number, *A[1:]]))
    assert [entry.tokens[0] for entry in bounded] == [3, 2]
    bounded.add(entry_of([3, *A[1:], 7]))
    bounded.add(entry_of([3, *A[1:]]))
    assert [len(entry.tokens) for entry in bounded] == [51, 50]


def test_large_tensors_are_written_piece_by_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.worker.disk_tier_storing.PIECE_BYTES", 1000)
    tier = opened(tmp_path)
    entry = entry_of([*range(333)])
    tier.offer(entry)
    steps = 0
    while tier.upkeep(99) is not None:
        steps += 1
    assert steps > 4 * 333 * 2 * 16 * 4 // 1000
    assert restored(opened(tmp_path), range(334)) == list(range(333))


@given(st.lists(st.integers(0, 1), max_size=12), st.lists(st.integers(0, 1), max_size=12))
def test_the_common_beginning_is_found(left: list[int], right: list[int]) -> None:
    pairs = [a == b for a, b in zip(left, right, strict=False)]
    expected = pairs.index(False) if False in pairs else len(pairs)
    assert common_length(token_array(left), token_array(right)) == expected


def test_two_engines_share_a_folder(tmp_path: Path) -> None:
    one, two = opened(tmp_path), opened(tmp_path)
    one.offer(entry_of(A))
    begin(one, tmp_path)
    third = opened(tmp_path)  # removes what the dead left, and this is alive
    kept(third, entry_of(B))
    kept(two, entry_of(B))
    assert one.flush(5).is_durable
    assert two.forget("chat") == 3
    assert one.longest(KEY, [*A, 1], 0) is not None
    assert restored(one, [*A, 1]) is None
    assert one.usage.fault == ""
    assert found(one, [*A, 1]) == 0


def test_what_a_dead_process_left_half_written_is_removed(tmp_path: Path) -> None:
    tier = opened(tmp_path)
    kept(tier, entry_of(A))
    (file,) = files_in(tmp_path)
    left = file.with_name(f"{file.name}.123.tmp")
    left.write_bytes(file.read_bytes()[:100])
    assert found(opened(tmp_path), [*A, 1]) == 50
    assert files_in(tmp_path) == [file]
