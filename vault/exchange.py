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
_NO_LINKS = {errno.EPERM, errno.EMLINK, *_UNSUPPORTED}
_IS_MAC = sys.platform == "darwin"
_EXCHANGE = 2
_NO_REPLACE = 4 if _IS_MAC else 1


def exchange(folder: int, first: str, second: str) -> bool:
    """Swap two files of one folder in one step; False where the system cannot."""
    return _rename(folder, first, second, _EXCHANGE)


def move_without_replacing(
    folder: int, source: str, target: str, target_folder: int | None = None
) -> None:
    """Rename, FileExistsError if `target` exists, in the best way the disk knows.

    exFAT and some network disks know neither such a rename nor hard links: there an empty file
    takes the name first, and a crash at that moment leaves it.
    """
    if rename_without_replacing(folder, source, target, target_folder):
        return
    into = folder if target_folder is None else target_folder
    try:
        os.link(source, target, src_dir_fd=folder, dst_dir_fd=into, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
    else:
        os.unlink(source, dir_fd=folder)
        return
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, dir_fd=into))
    try:
        os.rename(source, target, src_dir_fd=folder, dst_dir_fd=into)
    except OSError:
        os.unlink(target, dir_fd=into)
        raise


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
