"""Cuts the power of a file system while entries are written, or lets it run full.

`unshare -m python -m tests.disk.failing_disk MODE ROUNDS PLACE`, as root: the machine's own file
systems are not touched.
"""

from __future__ import annotations

import fcntl
import os
import random
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

from tests.disk.disk_tools import entry_of, opened
from tests.disk.kept_writer import tokens_of
from tests.disk.test_disk_kill import check

_SHUT_DOWN, _WITHOUT_LOG = 0x8004587D, 2


def run(*command: str) -> None:
    subprocess.run(command, check=True)


def cut_power(place: Path, rounds: int) -> None:
    """The file system stops at once; what was not flushed is gone when it is mounted again."""
    image, mounted = place / "image", place / "mounted"
    mounted.mkdir()
    for _ in range(rounds):
        run("truncate", "-s", "256M", str(image))
        run("mkfs.ext4", "-q", "-F", str(image))
        run("mount", "-o", "loop", str(image), str(mounted))
        writer = subprocess.Popen(
            [sys.executable, "-m", "tests.disk.kept_writer", str(mounted / "kept"), "0"],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert writer.stdout is not None
        first = writer.stdout.readline()
        time.sleep(random.uniform(0, 0.3))
        folder = os.open(mounted, os.O_RDONLY)
        fcntl.ioctl(folder, _SHUT_DOWN, struct.pack("I", _WITHOUT_LOG))
        os.close(folder)
        os.killpg(writer.pid, signal.SIGKILL)
        acknowledged = [int(line) for line in (first + writer.communicate()[0]).split()]
        run("umount", str(mounted))
        run("mount", "-o", "loop", str(image), str(mounted))
        check(mounted / "kept", acknowledged)
        run("umount", str(mounted))
        sys.stdout.write(f"{len(acknowledged)} entries survived\n")


def run_full(place: Path, rounds: int) -> None:
    """A disk without room: the writing ends with a reason, and what is stored can be read."""
    for size in range(1, rounds + 1):
        run("mount", "-t", "tmpfs", "-o", f"size={size * 300}k", "tmpfs", str(place))
        tier = opened(place / "kept")
        stored = []
        for number in range(20):
            entry = entry_of(tokens_of(number), f"chat {number}")
            tier.offer(entry)
            if tier.flush(5).is_durable:
                stored.append(number)
        assert tier.usage.fault == "No space left on device", tier.usage
        check(place / "kept", stored)
        run("umount", str(place))


if __name__ == "__main__":
    {"power": cut_power, "full": run_full}[sys.argv[1]](Path(sys.argv[3]), int(sys.argv[2]))
