"""Asks a short-lived engine process about this machine, without loading a model."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec

from engine.compute import ComputePath
from engine.config import EngineConfig, encode_config
from engine.errors import EngineStopped

PROBE_SECONDS = 120.0


def diagnose_compute(config: EngineConfig) -> ComputePath:
    """Which matrix library the engine would use, and why. Raises EngineStopped."""
    Path(config.cache_dir).mkdir(parents=True, exist_ok=True, mode=0o700)
    command = [sys.executable, "-P", "-m", "engine.worker.probe", encode_config(config)]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            check=True,
            timeout=PROBE_SECONDS,
            cwd=config.cache_dir,
            stdin=subprocess.DEVNULL,
        )
        return msgspec.json.decode(done.stdout, type=ComputePath)
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode("utf-8", "replace").strip().splitlines()
        last = said[-1] if said else f"exit status {error.returncode}"
        raise EngineStopped(f"The engine process cannot start here: {last}") from error
    except (subprocess.TimeoutExpired, OSError, msgspec.MsgspecError) as error:
        raise EngineStopped(f"The engine process could not be asked: {error}") from error
