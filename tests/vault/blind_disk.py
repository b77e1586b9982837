"""Mounts a real disk on which the case of a name does not count, where this machine can."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_BYTES = 24 << 20


def is_blind(folder: Path) -> bool:
    """Whether a name in other case is the same name here."""
    probe = folder / "Probe"
    probe.touch()
    try:
        return (folder / "pROBE").exists()
    finally:
        probe.unlink()


@contextmanager
def blind_disk(scratch: Path) -> Iterator[Path]:
    """A folder on such a disk; skips the test, with the reasons, where there is none."""
    if is_blind(scratch):
        yield scratch
        return
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("mounting a disk without case needs Linux and root")
    image, folder = scratch / "disk.img", scratch / "disk"
    folder.mkdir()
    reasons = []
    for make, mount in (
        (["mkfs.ext4", "-q", "-O", "casefold", "-E", "encoding=utf8"], ["mount"]),
        (["mkfs.vfat"], ["mount", "-o", "utf8"]),
        (["mkfs.exfat"], ["mount.exfat-fuse"]),
    ):
        reason = _mounted(make, mount, image, folder)
        if not reason:
            try:
                yield _blind_folder(folder)
            finally:
                subprocess.run(["umount", str(folder)], check=False, capture_output=True)
            return
        reasons.append(reason)
    pytest.skip("; ".join(reasons))


def _mounted(make: list[str], mount: list[str], image: Path, folder: Path) -> str:
    """Why it could not be mounted; empty when it was."""
    for program in ("losetup", make[0], mount[0]):
        if shutil.which(program) is None:
            return f"there is no {program}"
    image.unlink(missing_ok=True)
    with image.open("wb") as file:
        file.truncate(_BYTES)
    device = ""
    try:
        _said([*make, str(image)])
        device = _said(["losetup", "-f", "--show", str(image)])
        _said([*mount, device, str(folder)])
    except (subprocess.SubprocessError, OSError) as error:
        return f"{make[0]}: {error}"
    finally:
        if device:
            # Let go of when it is unmounted, or at once.
            subprocess.run(["losetup", "-d", device], check=False, capture_output=True)
    return ""


def _said(command: list[str]) -> str:
    finished = subprocess.run(command, check=True, capture_output=True, text=True, timeout=30)
    return finished.stdout.strip()


def _blind_folder(disk: Path) -> Path:
    folder = disk / "folder"
    folder.mkdir()
    if not is_blind(folder):
        # Of ext4 only the folders that are told to be so are.
        subprocess.run(["chattr", "+F", str(folder)], check=True, capture_output=True)
    return folder
