"""Turns an operating-system error into the part of a sentence that says why."""

import errno
import os
import sys

_REASONS = {
    errno.ENOSPC: "the disk is full; free some space and try again",
    errno.EDQUOT: "your disk quota is used up; free some space and try again",
    errno.EFBIG: "the file would be larger than this system allows",
    errno.EROFS: "the disk can only be read",
    errno.EACCES: "the permissions of the file or its folder forbid it",
    errno.EIO: "the disk reported a failure; check the disk, then try again",
    errno.ENAMETOOLONG: "the name or path is too long for this disk; choose a shorter one",
    errno.EMFILE: "too many files are open; close something and try again",
    errno.ENFILE: "too many files are open on this machine; close something and try again",
    errno.ENOTDIR: "part of the path is a file, not a folder",
    errno.EISDIR: "it is a folder, not a file",
    errno.ENOENT: "its folder is gone",
    errno.ETXTBSY: "another program is running that file",
}


def reason(error: OSError) -> str:
    """Return why the system refused, without a final full stop."""
    if error.errno == errno.EPERM:
        if sys.platform == "darwin":
            return (
                "macOS does not let this terminal into that folder; allow it in System Settings,"
                " Privacy & Security, Files and Folders"
            )
        return "the system does not permit it; the file may be marked as unchangeable"
    if error.errno is None:
        return str(error)
    return _REASONS.get(error.errno, os.strerror(error.errno))
