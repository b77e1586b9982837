"""An edit of one page that waits for the user's word, and what became of it."""

import msgspec


class Accepted(msgspec.Struct, frozen=True, tag="accepted", forbid_unknown_fields=True):
    """It was written, whole or in part; `found` and `wrote` are the page before and after."""

    when: str
    found: str | None
    wrote: str
    is_partial: bool


class Rejected(msgspec.Struct, frozen=True, tag="rejected", forbid_unknown_fields=True):
    """The user does not want it, for `reason` (may be empty)."""

    when: str
    reason: str


Decision = Accepted | Rejected


class Proposal(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`text` is the page as proposed, `base` the page it was made from, None for a new page.

    `source` is where it comes from (`conv:HASH`), `actor` who made it and whose run its commit will
    belong to. Times are ISO 8601 with their zone.
    """

    id: str
    made: str
    path: str
    base: str | None
    text: str
    reason: str
    source: str
    actor: str
    decision: Decision | None = None

    @property
    def is_new_page(self) -> bool:
        """Whether there was no such page when it was proposed."""
        return self.base is None
