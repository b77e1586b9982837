"""Engines that misbehave: `python -m tests.engine.odd_engine FD CONFIG`, the mode in `script`."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from engine.config import EngineConfig, decode_config
from engine.framing import encode_frame
from engine.plan.contract import MemoryPlan
from engine.plan.device import Device
from engine.protocol import LoadModel, ModelInfo, Plan, WorkerReady
from engine.scripted import ScriptedBackend
from engine.serving.entry import serve


class HelperBackend(ScriptedBackend):
    """Leaves a helper running that inherits what it can, and its id in the model's folder."""

    def __init__(self, config: EngineConfig) -> None:
        super().__init__(EngineConfig(config.cache_dir))
        self._is_detached = config.script == "detached helper"

    def load(self, command: LoadModel, report_stage: Callable[[str], None]) -> ModelInfo:
        helper = subprocess.Popen(
            [sys.executable, "-c", "import time; time.sleep(60)"],
            close_fds=False,
            start_new_session=self._is_detached,
        )
        (Path(command.path) / "helper").write_text(str(helper.pid))
        return super().load(command, report_stage)


class DoubtfulBackend(ScriptedBackend):
    """Cannot plan."""

    def __init__(self, config: EngineConfig) -> None:
        super().__init__(EngineConfig(config.cache_dir))

    def plan(self, command: Plan) -> MemoryPlan:
        raise ZeroDivisionError(command.path)


def misbehave(mode: str, channel: socket.socket) -> None:
    """Do what the mode says, then wait to be replaced."""
    match mode:
        case "other version":
            channel.sendall(
                encode_frame(WorkerReady(99, "odd", os.getpid(), Device("cpu", "odd", "reference")))
            )
        case "garbage":
            channel.sendall(b"Traceback (most recent call last)")
        case "unknown event":
            channel.sendall(b"\x00\x00\x00\x07\x81\xa4type\x01")
        case "deaf":
            channel.close()
        case "import error":
            raise ImportError("no module named 'mlx'")
        case "silent":
            pass
    time.sleep(60)


if __name__ == "__main__":
    mode = decode_config(sys.argv[2]).script
    if mode == "cannot plan":
        serve(DoubtfulBackend)
    elif mode.endswith("helper"):
        serve(HelperBackend)
    else:
        misbehave(mode, socket.socket(fileno=int(sys.argv[1])))
