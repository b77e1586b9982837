"""Renames that neither lose nor overwrite a file, where the system has them.

Linux: `renameat2` (man 2 renameat2). macOS: `renameatx_np` (man 2 renameatx_np).
"""

import ctypes
import errno
import functools
import os
import sys
from collections.abc import Callable

_UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}
_IS_MAC = sys.platform == "darwin"
_EXCHANGE = 2
_NO_REPLACE = 4 if _IS_MAC else 1


def exchange(folder: int, first: str, second: str) -> bool:
    """Swap two files of one folder in one step; False where the system cannot."""
    return _rename(folder, first, second, _EXCHANGE)


def rename_without_replacing(
    folder: int, source: str, target: str, target_folder: int | None = None
) -> bool:
    """Rename, FileExistsError if `target` exists; False if unsupported.

    Without a `target_folder` the file stays in its own.
    """
    return _rename(folder, source, target, _NO_REPLACE, target_folder)


def _rename(
    folder: int, source: str, target: str, flags: int, target_folder: int | None = None
) -> bool:
    call = _system_call()
    if call is None:
        return False
    into = folder if target_folder is None else target_folder
    if call(folder, os.fsencode(source), into, os.fsencode(target), flags) == 0:
        return True
    code = ctypes.get_errno()
    if code in _UNSUPPORTED:
        return False
    raise OSError(code, os.strerror(code), source)


@functools.cache
def _system_call() -> Callable[[int, bytes, int, bytes, int], int] | None:
    library = ctypes.CDLL(None, use_errno=True)
    found = getattr(library, "renameatx_np" if _IS_MAC else "renameat2", None)
    if found is None:
        return None
    found.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    found.restype = ctypes.c_int
    call: Callable[[int, bytes, int, bytes, int], int] = found
    return call
