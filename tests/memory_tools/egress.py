"""Hears of everything by which this process could reach out: connections, look-ups, programs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

_WAYS_OUT = frozenset(
    {
        "socket.connect",
        "socket.sendto",
        "socket.sendmsg",
        "socket.getaddrinfo",
        "socket.gethostbyname",
        "socket.gethostbyaddr",
        "subprocess.Popen",
        "os.system",
        "os.exec",
        "os.posix_spawn",
        "os.spawn",
        "os.startfile",
        "pty.spawn",
        "webbrowser.open",
        "urllib.Request",
        "http.client.connect",
        "ftplib.connect",
        "smtplib.connect",
    }
)
_heard: list[tuple[str, str]] = []
_state = {"is_listening": False, "is_hooked": False}


def _hear(event: str, arguments: tuple[object, ...]) -> None:
    if _state["is_listening"] and event in _WAYS_OUT:
        _heard.append((event, repr(arguments)[:300]))


@contextmanager
def egress() -> Iterator[list[tuple[str, str]]]:
    """The ways out that were taken meanwhile, by any thread, each with its arguments."""
    if not _state["is_hooked"]:
        # A hook stays for as long as the process does.
        sys.addaudithook(_hear)
        _state["is_hooked"] = True
    _heard.clear()
    _state["is_listening"] = True
    try:
        yield _heard
    finally:
        _state["is_listening"] = False
