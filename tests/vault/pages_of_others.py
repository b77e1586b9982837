"""Pages written outside this project: some are kept here, `ZIB_CORPORA` names a folder of more."""

import os
from collections.abc import Iterator
from pathlib import Path

KEPT = Path(__file__).parent.parent / "vaults"
CORPORA = ("garden-zh", "kepano", "tasks", "til")


def folders() -> Iterator[Path]:
    """The corpora that are here."""
    yield from (KEPT / name for name in CORPORA)
    more = os.environ.get("ZIB_CORPORA")
    if more:
        yield from (path for path in sorted(Path(more).iterdir()) if path.is_dir())


def pages(folder: Path) -> Iterator[Path]:
    """The Markdown files of one corpus."""
    return (path for path in sorted(folder.rglob("*.md")) if path.is_file())
