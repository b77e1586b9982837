"""A window without a screen: `python -m tests.engine.sharing_window FOLDER MODEL SCRIPT CACHE`.

Every line of standard input is a question. Each line it prints is a word and its value.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from engine.config import EngineConfig
from engine.errors import EngineError
from engine.process import SCRIPTED_MODULE, EngineLaunch
from engine.protocol import Message, TextDelta
from engine.sharing.window import WindowEngine


def show(word: str, value: object) -> None:
    sys.stdout.write(f"{word} {value}\n")
    sys.stdout.flush()


async def answer(window: WindowEngine, question: str) -> None:
    try:
        async for event in window.client.generate([Message("user", question)], "chat"):
            if isinstance(event, TextDelta):
                show("said", event.text)
        show("answered", question)
    except EngineError as error:
        show("failed", error)


async def main(folder: str, model: str, script: str, cache: str) -> None:
    launch = EngineLaunch(EngineConfig(cache, script=script), SCRIPTED_MODULE)
    window = WindowEngine(launch, Path(folder), lambda _: None, show)
    async with window.client as client:
        if not await window.is_guest():
            await client.load(model)
        show("model", (await client.model()).name)
        show("engine", client.pid)
        while question := (await asyncio.to_thread(sys.stdin.readline)).strip():
            await answer(window, question)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
