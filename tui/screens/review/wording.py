"""How a proposal and what became of it are worded."""

from __future__ import annotations

import time
from datetime import datetime
from typing import assert_never

from textual.content import Content

from tui.text.line import clean_line
from tui.widgets.wiki.age import age_words
from vault.review.proposal import Accepted, Proposal, Rejected


def proposal_line(proposal: Proposal, now: float | None = None) -> Content:
    """Two lines: the page; why, when and what became of it."""
    made = datetime.fromisoformat(proposal.made).timestamp()
    age = age_words((time.time() if now is None else now) - made)
    name = clean_line(proposal.path.rpartition("/")[2].removesuffix(".md"))
    new = " (new page)" if proposal.is_new_page else ""
    why = clean_line(proposal.reason) or "no reason given"
    said = " · ".join([*_fate(proposal), age, why])
    return Content.assemble((name + new, "bold"), "\n", (said, "$foreground-muted"))


def about(proposal: Proposal) -> str:
    """What is proposed, why, by whom and from where, in full."""
    what = "a new page" if proposal.is_new_page else "a change"
    where = f" from {proposal.source}" if proposal.source else ""
    why = proposal.reason or "no reason given"
    decided = f"\n{_decided(proposal)}" if proposal.decision is not None else ""
    return f"{proposal.path} · {what} by {proposal.actor}{where}\n{why}{decided}"


def _fate(proposal: Proposal) -> list[str]:
    match proposal.decision:
        case None:
            return []
        case Accepted(is_partial=is_partial):
            return ["partly accepted" if is_partial else "accepted"]
        case Rejected():
            return ["rejected"]
        case _:
            assert_never(proposal.decision)


def _decided(proposal: Proposal) -> str:
    match proposal.decision:
        case None:
            return ""
        case Accepted(when=when, is_partial=is_partial):
            return f"{'partly accepted' if is_partial else 'accepted'} on {_day(when)}"
        case Rejected(when=when, reason=reason):
            return f"rejected on {_day(when)}{f': {reason}' if reason else ''}"
        case _:
            assert_never(proposal.decision)


def _day(when: str) -> str:
    return f"{datetime.fromisoformat(when).astimezone():%Y-%m-%d %H:%M}"
