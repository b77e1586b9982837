"""Processes that read for the index end with the one that asked, however that ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psutil

READER = """
import sys, time
from pathlib import Path
from vault.index import reading
from vault.listing import list_vault
if __name__ == "__main__":
    reading._PAGES_MEANWHILE = 0
    root = Path(sys.argv[1])
    wanted = [reading.Wanted(note) for note in list_vault(root).notes]
    for page in reading._read_elsewhere(root, wanted, 2):
        print(page.note.path, flush=True)
        time.sleep(60)
"""


def test_no_reader_outlives_a_kill(tmp_path: Path) -> None:
    (tmp_path / "reader.py").write_text(READER)
    root = tmp_path / "notes"
    root.mkdir()
    for number in range(120):
        (root / f"{number:03}.md").write_text("text")
    command = [sys.executable, str(tmp_path / "reader.py"), str(root)]
    environment = {"PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as asking:
        assert asking.stdout is not None
        assert asking.stdout.readline() == b"000.md\n"
        readers = psutil.Process(asking.pid).children(recursive=True)
        assert len(readers) >= 2
        asking.kill()
    assert psutil.wait_procs(readers, timeout=10)[1] == []
