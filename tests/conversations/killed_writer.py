"""Streams answers until it is killed; prints each thing once the store has acknowledged it."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

from vault.conversations.store import open_conversations
from vault.conversations.values import Draft


def main(data_dir: Path) -> None:
    """Ask and answer for ever; a line is KIND, ID and for a batch its number."""
    store = open_conversations(data_dir)
    chat = store.chats.create().id
    print("chat", chat, flush=True)  # noqa: T201  read by the test
    for turn in itertools.count():
        asked = store.messages.add(chat, Draft("user", f"question {turn}"))
        print("asked", asked.id, turn, flush=True)  # noqa: T201  read by the test
        answer = store.answers.begin(chat, "model").id
        print("begun", answer, flush=True)  # noqa: T201  read by the test
        for batch in range(5):
            store.answers.append(answer, f"word{batch} ", f"thought{batch} ")
            print("batch", answer, batch, flush=True)  # noqa: T201  read by the test
        store.answers.finish(answer)
        print("ended", answer, flush=True)  # noqa: T201  read by the test


if __name__ == "__main__":
    main(Path(sys.argv[1]))
