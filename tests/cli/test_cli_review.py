"""`zib memory review` as typed: nothing is written before it is accepted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from tests.cli.conftest import Memory
from tui.wiring import wire
from vault.review.queue import ReviewQueue, review_dir

PAGE = "# Lens\n\nSharp.\n\n## Notes\n\nnone\n"
BETTER = "# Lens\n\nSharp and light.\n\n## Notes\n\nbought in May\n"


def told(result: Result) -> Any:
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture
def queue(memory: Memory, wiki: Path) -> ReviewQueue:
    memory("new", "Lens")
    memory("edit", "Lens", "-t", PAGE)
    location = wire({"wiki": str(wiki)}).wiki
    queue = ReviewQueue(review_dir(location.data_dir, location.root))
    queue.propose(
        "articles/Lens.md", PAGE, BETTER, reason="said \x1b[31m", source="conv:1a", actor="chat 1a"
    )
    return queue


def test_a_proposal_is_listed_shown_accepted_and_taken_back(
    memory: Memory, wiki: Path, queue: ReviewQueue
) -> None:
    page = wiki / "articles/Lens.md"
    (listed,) = told(memory("review", "--json"))
    assert (listed["path"], listed["state"]) == ("articles/Lens.md", "waiting")
    shown = memory("review", "show", listed["id"][:12]).stdout
    assert "part 2, line 7\n-none\n+bought in May\n" in shown
    assert "\x1b" not in shown + memory("review").stdout
    assert page.read_text() == PAGE

    accepted = memory("review", "accept", listed["id"], "--part", "2")
    assert accepted.exit_code == 0, accepted.stderr
    assert page.read_text() == PAGE.replace("none", "bought in May")
    assert told(memory("review", "--json")) == []
    assert told(memory("review", "--decided", "--json"))[0]["state"] == "partly accepted"
    assert told(memory("review", "take-back", listed["id"], "--json"))["state"] == "waiting"
    assert page.read_text() == PAGE


def test_a_rejected_one_is_remembered(memory: Memory, wiki: Path, queue: ReviewQueue) -> None:
    (proposal,) = queue.waiting()
    assert (
        told(memory("review", "reject", proposal.id, "-r", "no", "--json"))["state"] == "rejected"
    )
    assert memory("review", "accept", proposal.id).exit_code == 1
    assert (wiki / "articles/Lens.md").read_text() == PAGE


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("show", "99"), "No proposal begins with"),
        (("accept", "2", "--part", "9"), "It has 2 parts"),
        (("take-back", "2"), "not decided yet"),
    ],
    ids=["unknown", "no such part", "undecided"],
)
def test_what_cannot_be_done_is_one_sentence(
    memory: Memory, queue: ReviewQueue, arguments: tuple[str, ...], reason: str
) -> None:
    refused = memory("review", *arguments)
    assert refused.exit_code == 1
    assert reason in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1
