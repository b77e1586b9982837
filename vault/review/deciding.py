"""Accepts proposals into the wiki and takes that back; nothing else writes what was proposed."""

from collections.abc import Collection
from datetime import datetime

from vault.errors import ArticleMissing, EditRefused, ReviewFailed
from vault.files import ArticleFile
from vault.merge import merge
from vault.names import stem_of, title_of
from vault.review.parts import parts_of, with_parts
from vault.review.proposal import Accepted, Proposal, Rejected
from vault.review.queue import ReviewQueue
from vault.vault import Vault
from vault.written import Written


def accept(
    vault: Vault, queue: ReviewQueue, proposal: Proposal, taken: Collection[int] | None = None
) -> Written:
    """Write a proposal, or only the parts of it with these numbers, in one commit.

    Raises EditRefused when the page changed meanwhile in the same place, VaultError.
    """
    if taken is None:
        return accept_text(vault, queue, proposal, proposal.text)
    base = proposal.base or ""
    return accept_text(
        vault, queue, proposal, with_parts(base, parts_of(base, proposal.text), taken)
    )


def accept_text(vault: Vault, queue: ReviewQueue, proposal: Proposal, text: str) -> Written:
    """Write `text`, the proposal as the user edited it. Raises EditRefused, VaultError."""
    if proposal.decision is not None:
        raise ReviewFailed("This proposal is decided already; take that back first.")
    subject = f"Accept: {proposal.reason or proposal.path}"
    found = _find(vault, proposal.path)
    if found is None:
        written = _create(vault, proposal, text)
    else:
        written = vault.save(
            proposal.path, _onto(proposal.base or "", text, found), found, proposal.actor, subject
        )
    queue.settle(
        proposal,
        Accepted(
            when=_now(),
            found=found.text if found is not None else None,
            wrote=written.saved.file.text or "",
            is_partial=text != proposal.text,
        ),
    )
    return written


def reject(queue: ReviewQueue, proposal: Proposal, reason: str = "") -> Proposal:
    """Keep it out of the wiki and remember why. Raises ReviewFailed."""
    if proposal.decision is not None:
        raise ReviewFailed("This proposal is decided already; take that back first.")
    return queue.settle(proposal, Rejected(when=_now(), reason=reason.strip()))


def take_back(vault: Vault, queue: ReviewQueue, proposal: Proposal) -> Proposal:
    """Undo a decision; what was written goes out of the page, later changes stay.

    Raises EditRefused when later changes stand in the way, VaultError.
    """
    if isinstance(proposal.decision, Accepted):
        _withdraw(vault, proposal, proposal.decision)
    return queue.settle(proposal, None)


def _withdraw(vault: Vault, proposal: Proposal, accepted: Accepted) -> None:
    current = _find(vault, proposal.path)
    if current is None:
        if accepted.found is None:
            return
        raise EditRefused(f"“{proposal.path}” is gone; restore it first.")
    if accepted.found is not None:
        before = _onto(accepted.wrote, accepted.found, current)
        vault.save(proposal.path, before, current, subject=f"Take back: {proposal.reason}")
    elif current.text == accepted.wrote:
        vault.moves.carry_out(vault.moves.plan_delete(proposal.path))
    else:
        raise EditRefused(f"“{proposal.path}” was changed since; delete it by hand if you want to.")


def _onto(base: str, text: str, current: ArticleFile) -> str:
    """The change from `base` to `text`, made to the page as it is now."""
    if current.text is None or current.text == base:
        return text
    merged = merge(base, text, current.text)
    if merged is None:
        raise EditRefused(
            f"“{current.path}” changed in the same lines meanwhile; edit the page yourself, or"
            " reject the proposal."
        )
    return merged


def _create(vault: Vault, proposal: Proposal, text: str) -> Written:
    if proposal.base is not None:
        raise EditRefused(f"“{proposal.path}” is gone; restore it first, or reject the proposal.")
    folder, _, name = proposal.path.rpartition("/")
    return vault.create(title_of(stem_of(name)), folder, proposal.actor, text)


def _find(vault: Vault, path: str) -> ArticleFile | None:
    try:
        return vault.read(path)
    except ArticleMissing:
        return None


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")
