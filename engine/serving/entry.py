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
from engine.serving.channel import Channel, end_process
from engine.serving.loop import ServingLoop


def serve(make_backend: Callable[[EngineConfig], Backend]) -> None:
    """Run a backend on the channel named on the command line. Never returns normally."""
    faulthandler.enable()
    # Ctrl+C belongs to the terminal process; it closes the channel when it leaves.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    loop = ServingLoop(Channel(int(sys.argv[1])))
    loop.start_reader()
    try:
        loop.run(lambda: make_backend(_prepare(sys.argv[2])))
    except SystemExit as end:
        # Some library wants to end; an orderly end could hang in its clean-up.
        end_process(end.code if isinstance(end.code, int) else 1)


def _prepare(config_text: str) -> EngineConfig:
    """Read the configuration and give MLX its folder for compiled kernels."""
    config = decode_config(config_text)
    config.temporary_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.environ["TMPDIR"] = tempfile.tempdir = str(config.temporary_dir)
    return config
