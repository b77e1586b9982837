"""Prints which matrix library this machine gets: `python -P -m engine.worker.probe CONFIG_JSON`."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from engine.config import decode_config
from engine.worker.blas import activate


def main() -> None:
    """One JSON document: a ComputePath."""
    config = decode_config(sys.argv[1])
    path = activate(Path(config.cache_dir) / "blas", config.blas, config.threads)
    sys.stdout.write(msgspec.json.encode(path).decode() + "\n")


if __name__ == "__main__":
    main()
