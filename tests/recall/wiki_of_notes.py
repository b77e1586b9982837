"""A small wiki to recall from, and whoever asks it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from vault.setup import SetUp
from vault.vault import Vault

Found = TypeVar("Found")
FILLING = 12
PAGES = {
    "Photography/Camera_bag.md": "---\nupdated: 2026-03-14\ntags: [photo]\nrating: splendid\n---\n"
    "# Camera bag\n\nWhat goes into it.\n\n## Lenses\n\nFor the trip to Lisbon I settled on the"
    " 50mm f/1.8.\n\n## Film\n\nTwo rolls of Portra. <!-- secret remark -->"
    " [shop](https://example.org/portra)\n",
    "Projects/Trip.md": "---\nupdated: 2026-02-01\n---\n# Trip\n\nLisbon in June with Anna; see"
    " [[Camera bag]] and [[House in Alfama]].\n",
    "Projects/Packing.md": "# Packing\n\nFor Lisbon in June: hat, [[House in Alfama]] keys.\n",
    "Projects/House in Alfama.md": "# House in Alfama\n\nThird floor, no lift.\n",
    "Sourdough.md": "# Sourdough\n\nThe starter is called Bubbles and is fed with rye.\n",
    "Old.md": "#REDIRECT [[Sourdough]]\n",
    "相机.md": "# 相机\n\n徕卡相机的快门需要修理。\n",
}


def make_wiki(root: Path, pages: dict[str, str] | None = None) -> Vault:
    """Somebody's folder of these pages and of others that say little, opened for reading."""
    others = {
        f"Note {number}.md": f"# Note {number}\n\nClouds, gardens, bicycles and month {number}.\n"
        for number in range(FILLING)
    }
    for path, text in {**others, **(PAGES if pages is None else pages)}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8", errors="surrogatepass")
    return Vault(SetUp(root, is_ours=False), data_dir=root.with_name(f"{root.name}-data"))


class Reader:
    """Answers as the window's wiki does; while `is_slow` it takes longer than anybody waits."""

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self.is_slow = False

    async def ask(self, question: Callable[[Vault], Found]) -> Found:
        """Run `question` in a thread."""
        if self.is_slow:
            await asyncio.sleep(30)
        return await asyncio.to_thread(question, self.vault)
