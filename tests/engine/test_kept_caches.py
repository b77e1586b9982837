"""What is copied, handed over or dropped when a row starts, by the room there is."""

from __future__ import annotations

from typing import Any, cast

import pytest

from engine.protocol import Generate, Message
from engine.serving.kv_budget import Claim
from engine.worker.cache_entry import bytes_of
from engine.worker.kept_caches import KeptCaches
from engine.worker.kept_model import KeptModel
from engine.worker.own_spelling import Spelling
from engine.worker.prefix_groups import LEAST_SHARED
from engine.worker.prompt_cache import PromptCache
from engine.worker.row import Request, Row
from engine.worker.row_results import Left
from tests.engine.kept import KEY, RotatingKVCache, filled, held
from tests.engine.test_engine_ceiling import plan

FIRST = (Message("user", "first"),)
WENT_ON = (*FIRST, Message("assistant", "so"), Message("user", "second"))
EDITED = (Message("user", "other"),)
TOKENS = list(range(600))
SIZE = bytes_of(filled(TOKENS))
GIB = 1 << 30


def row(messages: tuple[Message, ...], prompt: list[int], chat: str = "chat", **more: Any) -> Row:
    return Row(
        Request(
            command=Generate(1, messages, chat, prefix_group=more.pop("group", "")),
            prompt=tuple(prompt),
            claim=Claim(len(prompt), 1, lambda tokens: tokens),
            sampler=cast("Any", None),
            text=cast("Any", None),
            window=0,
            **more,
        )
    )


def kept_with(spare: int | None, budget: int = GIB, blank: tuple[Any, ...] = ()) -> KeptCaches:
    """A place where so many bytes are left beside any row that starts; None: as many as wanted."""
    model = KeptModel(
        key=KEY,
        spelling=Spelling(str, frozenset()),
        render=lambda _: lambda messages, is_open: [],
        blank=blank,
        limit=0,
        is_bounded=spare is not None,
    )

    def plan_at(tokens: int) -> Any:
        shape = plan(0, tokens)
        needed = shape.weights_bytes + shape.kv_bytes + shape.transient_bytes
        return plan(needed + shape.items[2].bytes + (spare or 0), tokens)

    return KeptCaches(model, PromptCache(budget), plan_at)


def ended(kept: KeptCaches, chat: str = "chat", tokens: list[int] = TOKENS) -> list[Any]:
    """A row of the chat that has left its caches, which are returned."""
    caches = filled(tokens)
    kept.keep(row(FIRST, tokens, chat), Left(list(tokens), caches))
    return caches


def started(kept: KeptCaches, which: Row) -> list[Any] | None:
    kept.make_room(which, 0)
    return kept.lend(which, None).cache


@pytest.mark.parametrize("spare", [None, 3 * SIZE])
@pytest.mark.parametrize("prompt", [[*TOKENS, 7], [*TOKENS[:500], -1]])
def test_a_chat_that_goes_on_takes_its_caches_along(spare: int | None, prompt: list[int]) -> None:
    kept = kept_with(spare)
    caches = ended(kept)
    assert kept.bytes_beside(row(WENT_ON, prompt)) == 0
    assert started(kept, row(WENT_ON, prompt)) is caches
    assert len(kept.cache) == 0


@pytest.mark.parametrize(
    ("spare", "budget", "is_copied"),
    [(None, GIB, True), (2 * SIZE, GIB, True), (SIZE - 1, GIB, False), (None, SIZE - 1, False)],
)
def test_an_edit_copies_only_where_both_have_room(
    spare: int | None, budget: int, is_copied: bool
) -> None:
    kept = kept_with(spare, budget)
    caches = ended(kept)
    edit = row(EDITED, [*TOKENS[:500], -1])
    assert kept.bytes_beside(edit) == (SIZE if is_copied else 0) or spare is not None
    lent = started(kept, edit)
    assert (lent is not caches) == is_copied
    assert held(lent or []) == [TOKENS[:500]] * 2
    assert len(kept.cache) == is_copied


def test_little_of_a_chat_that_must_go_does_not_take_it_over() -> None:
    kept = kept_with(SIZE - 1)
    caches = ended(kept, "other")
    lent = started(kept, row(EDITED, [*TOKENS[:100], -1]))
    assert lent is not None
    assert lent is not caches
    assert held(lent) == [TOKENS[:100]] * 2
    assert len(kept.cache) == 0


def test_a_copy_is_not_made_at_the_cost_of_another_chat() -> None:
    kept = kept_with(SIZE)
    caches = ended(kept)
    ended(kept, "other", [9, *TOKENS])
    edit = row(EDITED, [*TOKENS[:500], -1])
    assert started(kept, edit) is caches
    (left,) = kept.cache
    assert left.owners == {"other"}


def test_a_row_that_belongs_to_nobody_borrows_nothing_and_is_no_miss() -> None:
    kept = kept_with(None)
    ended(kept)
    assert kept.lend(row(FIRST, [*TOKENS, 7], ""), None).cache is None
    assert (kept.cache.hits, kept.cache.misses, len(kept.cache)) == (0, 0, 1)


def test_a_row_leaves_copies_on_its_way_where_something_new_is_behind_them() -> None:
    kept = kept_with(None, blank=(RotatingKVCache(8),))
    which = row(FIRST, TOKENS, checkpoints=(10, 100, 120, 300))
    assert kept.marks(which) == (100, 300)
    caches = filled(TOKENS[:100])
    kept.share(which, 100, caches)
    (entry,) = kept.cache
    assert (entry.kind, entry.owners) == ("checkpoint", {"chat"})
    assert held(entry.caches or []) == [TOKENS[:100]] * 2
    assert all(
        copied.keys is not original.keys
        for copied, original in zip(entry.caches or [], caches, strict=True)
    )
    assert kept.marks(row(FIRST, TOKENS, "next", checkpoints=(100, 300))) == (300,)
    which.reuse(300)
    assert kept.marks(which) == ()


@pytest.mark.parametrize(("spare", "budget"), [(SIZE - 1, GIB), (None, SIZE - 1)])
def test_a_copy_there_is_no_room_for_is_not_made(spare: int | None, budget: int) -> None:
    kept = kept_with(spare, budget)
    which = row(FIRST, [*TOKENS, 7], checkpoints=(600,))
    kept.make_room(which, 0)
    ended(kept, "other", [9])
    kept.share(which, 600, filled(TOKENS))
    assert [entry.owners for entry in kept.cache] == [{"other"}]


def test_instructions_belong_to_their_group() -> None:
    kept = kept_with(None)
    pages = [row(EDITED, [*TOKENS[:LEAST_SHARED], page], "", group="extract") for page in (-1, -2)]
    for page in pages:
        kept.note(page)
    assert kept.marks(pages[0]) == (LEAST_SHARED,)
    kept.share(pages[0], LEAST_SHARED, filled(TOKENS[:LEAST_SHARED]))
    assert [(entry.kind, entry.owners) for entry in kept.cache] == [("instructions", {"extract"})]
    assert kept.marks(pages[1]) == ()
    assert len(kept.lend(pages[1], None).tokens) == LEAST_SHARED
    assert kept.forget("extract") == 1
    assert kept.marks(pages[1]) == ()
