"""Start-up of an engine process: `python -P -m MODULE FD CONFIG_JSON`."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import tempfile
from collections.abc import Callable

from engine.config import EngineConfig, decode_config
from engine.serving.backend import Backend
from engine.serving.channel import Channel
from engine.serving.loop import ServingLoop


def serve(make_backend: Callable[[EngineConfig], Backend]) -> None:
    """Run a backend on the channel named on the command line. Never returns normally."""
    config = decode_config(sys.argv[2])
    faulthandler.enable()
    # Ctrl+C belongs to the terminal process; it closes the channel when it leaves.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    config.temporary_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.environ["TMPDIR"] = tempfile.tempdir = str(config.temporary_dir)
    loop = ServingLoop(Channel(int(sys.argv[1])))
    loop.start_reader()
    loop.run(lambda: make_backend(config))
