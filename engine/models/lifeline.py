"""How a child process notices that its parent is gone."""

import contextlib
import os
import threading


def die_with_parent() -> None:
    """End this process as soon as its standard input reaches its end.

    The parent gives a pipe and writes nothing; however it dies, the system closes the pipe.
    """
    threading.Thread(target=_wait_for_end, name="lifeline", daemon=True).start()


def _wait_for_end() -> None:
    # The raw descriptor: a buffered reader would hold its lock while Python shuts down.
    with contextlib.suppress(OSError):
        while os.read(0, 1024):
            pass
    os._exit(1)
