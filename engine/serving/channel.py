"""The engine's end of the socket: events out, commands in, and death when the other end is gone."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Iterator
from typing import NoReturn

from engine.framing import FrameSplitter, decode_command, encode_frame
from engine.protocol import AnyCommand, AnyEvent

_CHUNK = 64 * 1024


class Channel:
    """A connected socket shared by the threads of the engine process."""

    def __init__(self, fd: int) -> None:
        # Grandchildren (compilers, self-tests) must not hold the channel open.
        os.set_inheritable(fd, False)
        self._socket = socket.socket(fileno=fd)
        self._socket.setblocking(True)
        self._sending = threading.Lock()
        self._is_silent = False

    def fall_silent(self) -> None:
        """Send nothing more: the other end may close while something is being finished here."""
        self._is_silent = True

    def send(self, event: AnyEvent) -> None:
        """Write one event; blocks while the terminal does not read. Ends the process if it died."""
        frame = encode_frame(event)
        with self._sending:
            if self._is_silent:
                return
            try:
                self._socket.sendall(frame)
            except OSError:
                if not self._is_silent:
                    leave()

    def commands(self) -> Iterator[AnyCommand]:
        """Yield commands until the other end closes. Raises ProtocolError on garbage."""
        splitter = FrameSplitter()
        while True:
            try:
                data = self._socket.recv(_CHUNK)
            except OSError:
                return
            if not data:
                return
            for body in splitter.feed(data):
                yield decode_command(body)


def leave() -> NoReturn:
    """End this process and its helpers now, from any thread: nobody is left to serve."""
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def end_process(status: int) -> NoReturn:
    """End this process at once with a status that says why, without clean-up that could hang."""
    os._exit(status)
