"""The models recommended for this machine that are not on it yet."""

from __future__ import annotations

from collections.abc import Sequence

from engine.models.entry import ModelEntry
from tui.models.shelf import Offer


def offers_for_this_machine(entries: Sequence[ModelEntry]) -> tuple[Offer, ...]:
    """In the order of the recommendations; one of several purposes is offered once."""
    return ()
