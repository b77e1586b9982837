"""Whose process is at the other end of a Unix socket."""

from __future__ import annotations

import os
import socket
import struct
import sys
from asyncio.trsock import TransportSocket

_CREDENTIALS = struct.Struct("iII")


def is_own_peer(connection: socket.socket | TransportSocket) -> bool:
    """Whether the other end belongs to this very user; also root is somebody else."""
    try:
        return _peer_uid(connection) == os.geteuid()
    except OSError:
        return False


if sys.platform == "linux":

    def _peer_uid(connection: socket.socket | TransportSocket) -> int:
        raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        _, uid, _ = _CREDENTIALS.unpack(raw)
        return int(uid)

else:

    def _peer_uid(connection: socket.socket | TransportSocket) -> int:
        import ctypes

        libc = ctypes.CDLL(None, use_errno=True)
        uid, gid = ctypes.c_uint32(), ctypes.c_uint32()
        if libc.getpeereid(connection.fileno(), ctypes.byref(uid), ctypes.byref(gid)) != 0:
            raise OSError(ctypes.get_errno(), "getpeereid failed")
        return uid.value
