"""What a model looked up, in the JSON document of `zib ask --tools --json`."""

from __future__ import annotations

import msgspec


class LookedUp(msgspec.Struct, frozen=True):
    """One call: its arguments are a JSON object as text, `result` is what the model got."""

    name: str
    arguments: str
    result: str
    is_error: bool
