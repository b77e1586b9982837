"""How many threads use something that is to be closed."""

from __future__ import annotations

import threading
from types import TracebackType


class InUse:
    """Entered by each thread for as long as it uses the thing."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._users = 0

    def __enter__(self) -> None:
        with self._changed:
            self._users += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._changed:
            self._users -= 1
            self._changed.notify_all()

    def wait(self) -> None:
        """Block until nobody uses it."""
        with self._changed:
            self._changed.wait_for(lambda: self._users == 0)
