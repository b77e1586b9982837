"""`zib memory review`: proposed edits from the command line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tui.cli.memory.change import tell_written
from tui.cli.memory.opened import opened, with_wiring
from tui.cli.memory.printed import print_json, print_lines, say
from tui.cli.memory.versions import hunk_lines
from tui.cli.run import print_error
from tui.text.line import to_line
from vault.errors import ReviewFailed
from vault.history.diff import diff_texts
from vault.names import displayable
from vault.review.deciding import accept, reject, take_back
from vault.review.parts import parts_of
from vault.review.proposal import Accepted, Proposal
from vault.review.queue import ReviewQueue, review_dir
from vault.vault import Vault

Flags = Mapping[str, object]


def run_review_list(flags: Flags, are_decided_listed: bool, is_json: bool) -> int:
    """What waits for a decision, or what is decided."""

    def show(_: Vault, queue: ReviewQueue) -> int:
        found = queue.decided() if are_decided_listed else queue.waiting()
        for file in queue.unreadable():
            print_error(f"{to_line(str(file))} is damaged; it was left as it is.")
        if is_json:
            print_json([_told(each) for each in found])
        else:
            print_lines(_line(each) for each in found)
            if not found and sys.stdout.isatty():
                say("Nothing is decided yet." if are_decided_listed else "Nothing waits for you.")
        return 0

    return _with_queue(flags, show)


def run_review_show(flags: Flags, name: str, is_json: bool) -> int:
    """One proposal with its difference, in the parts that can be taken."""

    def show(_: Vault, queue: ReviewQueue) -> int:
        proposal = queue.get(name)
        base = proposal.base or ""
        if is_json:
            parts = [
                {"line": part.start + 1, "old": "".join(part.old), "new": "".join(part.new)}
                for part in parts_of(base, proposal.text)
            ]
            print_json({**_told(proposal), "text": proposal.text, "parts": parts})
            return 0
        say(_line(proposal))
        say(f"{proposal.actor}, from {proposal.source or 'nowhere said'}: {proposal.reason}")
        for number, part in enumerate(parts_of(base, proposal.text), 1):
            say(f"part {number}, line {part.start + 1}")
            for hunk in diff_texts("".join(part.old), "".join(part.new)).hunks:
                print_lines(hunk_lines(hunk, by_words=True))
        return 0

    return _with_queue(flags, show)


def run_review_accept(flags: Flags, name: str, parts: Iterable[int], is_json: bool) -> int:
    """Write a proposal, or some parts of it, counted from 1."""

    def act(vault: Vault, queue: ReviewQueue) -> int:
        proposal = queue.get(name)
        count = len(parts_of(proposal.base or "", proposal.text))
        chosen = {number - 1 for number in parts}
        if not chosen <= set(range(count)):
            raise ReviewFailed(f"It has {count} parts, numbered from 1.")
        return tell_written(accept(vault, queue, proposal, chosen or None), is_json)

    return _with_queue(flags, act)


def run_review_reject(flags: Flags, name: str, reason: str, is_json: bool) -> int:
    """Keep a proposal out of the wiki."""

    def act(_: Vault, queue: ReviewQueue) -> int:
        return _tell(reject(queue, queue.get(name), reason), "Rejected", is_json)

    return _with_queue(flags, act)


def run_review_take_back(flags: Flags, name: str, is_json: bool) -> int:
    """Undo a decision."""

    def act(vault: Vault, queue: ReviewQueue) -> int:
        proposal = queue.get(name)
        if proposal.decision is None:
            raise ReviewFailed("It is not decided yet, so there is nothing to take back.")
        return _tell(take_back(vault, queue, proposal), "Waits again", is_json)

    return _with_queue(flags, act)


def _with_queue(flags: Flags, action: Callable[[Vault, ReviewQueue], int]) -> int:
    return with_wiring(
        flags,
        lambda wiring: action(
            opened(wiring), ReviewQueue(review_dir(wiring.wiki.data_dir, wiring.wiki.root))
        ),
    )


def _tell(proposal: Proposal, what: str, is_json: bool) -> int:
    if is_json:
        print_json(_told(proposal))
    else:
        say(f"{what}: {displayable(proposal.path)}")
    return 0


def _line(proposal: Proposal) -> str:
    state = f" [{_state(proposal)}]" if proposal.decision is not None else ""
    new = " (new page)" if proposal.is_new_page else ""
    return to_line(f"{proposal.id}  {displayable(proposal.path)}{new}{state}  {proposal.reason}")


def _state(proposal: Proposal) -> str:
    match proposal.decision:
        case None:
            return "waiting"
        case Accepted(is_partial=is_partial):
            return "partly accepted" if is_partial else "accepted"
        case _:
            return "rejected"


def _told(proposal: Proposal) -> dict[str, Any]:
    return {
        "id": proposal.id,
        "path": displayable(proposal.path),
        "is_new_page": proposal.is_new_page,
        "reason": proposal.reason,
        "source": proposal.source,
        "actor": proposal.actor,
        "made": proposal.made,
        "state": _state(proposal),
    }
