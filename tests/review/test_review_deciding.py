"""Proposals reach the wiki only by the user's word, whole or in part, and can be taken back."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from vault.errors import EditRefused, ReviewFailed
from vault.history.commit import Committed
from vault.review.deciding import accept, accept_text, reject, take_back
from vault.review.proposal import Accepted, Proposal, Rejected
from vault.review.queue import ReviewQueue, review_dir
from vault.vault import Vault, open_vault

PAGE = "# Lens\n\nThe 35mm is sharp.\n\n## Prices\n\n400\n\n## Notes\n\nnone\n"
BETTER = PAGE.replace("sharp", "sharp and light").replace("none", "bought in May")
PATH = "articles/Lens.md"


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    vault = open_vault(tmp_path / "wiki")
    vault.create("Lens", "articles", text=PAGE)
    return vault


@pytest.fixture
def queue(tmp_path: Path, vault: Vault) -> ReviewQueue:
    return ReviewQueue(review_dir(tmp_path / "data", vault.root))


def propose(
    queue: ReviewQueue, text: str = BETTER, base: str | None = PAGE, path: str = PATH
) -> Proposal:
    return queue.propose(
        path, base, text, reason="it was said", source="conv:1a2b", actor="chat 1a2b"
    )


def text_of(vault: Vault, path: str = PATH) -> str:
    return vault.read(path).content.decode()


def last_commit(vault: Vault) -> str:
    shown = ["git", "log", "-1", "--format=%B"]
    return subprocess.run(shown, cwd=vault.root, capture_output=True, check=True, text=True).stdout


def test_a_proposal_changes_nothing(vault: Vault, queue: ReviewQueue) -> None:
    before = sorted(vault.root.rglob("*"))
    proposal = propose(queue)
    assert text_of(vault) == PAGE
    assert sorted(vault.root.rglob("*")) == before
    assert queue.waiting() == (proposal,)
    assert queue.get(proposal.id[:20]) == proposal


def test_accepted_it_is_one_commit_of_its_actor(vault: Vault, queue: ReviewQueue) -> None:
    written = accept(vault, queue, propose(queue))
    assert text_of(vault) == BETTER
    assert isinstance(written.commit, Committed)
    assert last_commit(vault).strip() == "Accept: it was said\n\nActor: chat 1a2b"
    assert queue.waiting() == ()
    assert isinstance(queue.decided()[0].decision, Accepted)


def test_a_part_of_it_may_be_taken(vault: Vault, queue: ReviewQueue) -> None:
    accept(vault, queue, propose(queue), taken={1})
    assert text_of(vault) == PAGE.replace("none", "bought in May")
    decision = queue.decided()[0].decision
    assert isinstance(decision, Accepted)
    assert decision.is_partial


def test_it_may_be_edited_first(vault: Vault, queue: ReviewQueue) -> None:
    accept_text(vault, queue, propose(queue), PAGE.replace("400", "350"))
    assert text_of(vault) == PAGE.replace("400", "350")


def test_what_changed_elsewhere_meanwhile_stays(vault: Vault, queue: ReviewQueue) -> None:
    proposal = propose(queue)
    (vault.root / PATH).write_text(PAGE.replace("400", "410"))
    accept(vault, queue, proposal)
    assert text_of(vault) == BETTER.replace("400", "410")
    take_back(vault, queue, queue.decided()[0])
    assert text_of(vault) == PAGE.replace("400", "410")
    assert [each.id for each in queue.waiting()] == [proposal.id]


def test_a_change_of_the_same_lines_is_not_overwritten(vault: Vault, queue: ReviewQueue) -> None:
    proposal = propose(queue)
    theirs = PAGE.replace("sharp", "soft")
    (vault.root / PATH).write_text(theirs)
    with pytest.raises(EditRefused, match="same lines"):
        accept(vault, queue, proposal)
    assert text_of(vault) == theirs
    assert queue.waiting() == (proposal,)


def test_accepting_again_after_a_crash_in_between_writes_nothing_twice(
    vault: Vault, queue: ReviewQueue
) -> None:
    proposal = propose(queue)
    accept(vault, queue, proposal)
    queue.settle(queue.decided()[0], None)
    assert accept(vault, queue, queue.waiting()[0]).commit is None
    assert text_of(vault) == BETTER


def test_a_new_page_is_made_and_taken_back(vault: Vault, queue: ReviewQueue) -> None:
    path = "articles/Old_camera.md"
    accept(vault, queue, propose(queue, "# Old camera\n\nHeavy.\n", None, path))
    assert text_of(vault, path) == "# Old camera\n\nHeavy.\n"
    take_back(vault, queue, queue.decided()[0])
    assert not (vault.root / path).exists()


def test_a_new_page_that_grew_is_not_deleted(vault: Vault, queue: ReviewQueue) -> None:
    path = "articles/Old_camera.md"
    accept(vault, queue, propose(queue, "# Old camera\n", None, path))
    (vault.root / path).write_text("# Old camera\n\nMine.\n")
    with pytest.raises(EditRefused, match="changed since"):
        take_back(vault, queue, queue.decided()[0])
    assert text_of(vault, path).endswith("Mine.\n")


def test_a_new_page_joins_one_that_came_meanwhile(vault: Vault, queue: ReviewQueue) -> None:
    path = "articles/Old_camera.md"
    proposal = propose(queue, "# Old camera\n\nHeavy.\n", None, path)
    vault.create("Old camera", "articles", text="# Old camera\n\nLight.\n")
    with pytest.raises(EditRefused):
        accept(vault, queue, proposal)
    assert text_of(vault, path) == "# Old camera\n\nLight.\n"


def test_a_page_that_is_gone_is_not_made_anew(vault: Vault, queue: ReviewQueue) -> None:
    proposal = propose(queue)
    (vault.root / PATH).unlink()
    with pytest.raises(EditRefused, match="is gone"):
        accept(vault, queue, proposal)


def test_rejected_it_is_remembered_and_can_be_asked_again(vault: Vault, queue: ReviewQueue) -> None:
    rejected = reject(queue, propose(queue), "  not true ")
    assert isinstance(rejected.decision, Rejected)
    assert rejected.decision.reason == "not true"
    with pytest.raises(ReviewFailed, match="already"):
        accept(vault, queue, rejected)
    assert take_back(vault, queue, rejected).decision is None
    assert text_of(vault) == PAGE


def test_two_windows_cannot_both_decide(vault: Vault, queue: ReviewQueue) -> None:
    proposal = propose(queue)
    reject(queue, proposal)
    with pytest.raises(ReviewFailed, match="meanwhile"):
        queue.settle(proposal, None if proposal.decision else Rejected(when="", reason="other"))


@pytest.mark.parametrize("damage", [b"", b"{}", b"\xff\xfe", b'{"id": "x"}', b"[" * 100_000])
def test_a_damaged_file_is_told_of_and_kept(queue: ReviewQueue, damage: bytes) -> None:
    good, bad = propose(queue), propose(queue)
    (file,) = [each for each in queue._folder.glob("*.json") if each.stem == bad.id]
    file.write_bytes(damage)
    assert queue.waiting() == (good,)
    assert queue.unreadable() == (file,)
    assert file.read_bytes() == damage
    with pytest.raises(ReviewFailed, match="damaged"):
        queue.get(bad.id)


def test_what_changes_nothing_is_no_proposal(queue: ReviewQueue) -> None:
    with pytest.raises(ReviewFailed, match="Nothing would change"):
        propose(queue, PAGE)


def test_only_the_user_can_read_proposals(queue: ReviewQueue) -> None:
    proposal = propose(queue)
    file = queue._folder / f"{proposal.id}.json"
    assert (file.stat().st_mode & 0o777, queue._folder.stat().st_mode & 0o777) == (0o600, 0o700)
