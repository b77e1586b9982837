"""`python fetch_process.py FOLDER MODEL_AS_JSON`: fetch a model and print each new stage."""

import asyncio
import sys
from pathlib import Path

import msgspec

from engine.models.builtin import BuiltinModel, FetchProgress, ensure_builtin

if __name__ == "__main__":
    stages: list[str] = []

    def show(progress: FetchProgress) -> None:
        if progress.stage not in stages:
            stages.append(progress.stage)
            sys.stdout.write(f"{progress.stage}\n")
            sys.stdout.flush()

    wanted = msgspec.json.decode(sys.argv[2], type=BuiltinModel)
    asyncio.run(ensure_builtin(Path(sys.argv[1]), show, wanted))
