"""A terminal process to kill and to freeze: `python -m tests.engine.terminal MODULE CONFIG MODEL`.

Prints a line for each thing that happens; asks one question, then waits.
"""

import asyncio
import sys

from engine.client import EngineClient
from engine.config import decode_config
from engine.errors import EngineStopped
from engine.process import EngineLaunch
from engine.protocol import MemoryReport, Message, PromptProgress, TextDelta
from engine.status import EngineStatus
from engine.watchdog import Watchdog
from tests.engine.subjects import SLOW


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def show(news: EngineStatus | MemoryReport) -> None:
    if not isinstance(news, MemoryReport):
        say("status", type(news).__name__)


async def main(module: str, config: str, model: str) -> None:
    launch = EngineLaunch(decode_config(config), module)
    async with EngineClient(launch, show, Watchdog(silence_limit=3.0)) as engine:
        while engine.pid is None:
            await asyncio.sleep(0.001)
        say("pid", engine.pid)
        loading = asyncio.create_task(engine.load(model))
        try:
            await loading
            words = 0
            async for event in engine.generate([Message("user", SLOW)]):
                if isinstance(event, TextDelta):
                    words += 1
                if isinstance(event, PromptProgress) or words == 1:
                    say("prefill" if isinstance(event, PromptProgress) else "decode")
            say("finished", words, engine.pid)
        except EngineStopped as stopped:
            say("stopped", stopped)
        await asyncio.sleep(600)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
