"""Names for threads where the system shows them (`top -H`, the benches)."""

from __future__ import annotations

import ctypes
import sys

_PR_SET_NAME = 15
_LONGEST = 15


def name_this_thread(name: str) -> None:
    """Show the calling thread under this name; does nothing off Linux."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_NAME, name.encode()[:_LONGEST])
