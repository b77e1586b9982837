import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from vault.vault import Vault, open_vault

PlainGit = Callable[..., str]


@pytest.fixture
def wiki(tmp_path: Path) -> Vault:
    return open_vault(tmp_path / "wiki")


@pytest.fixture
def git(tmp_path: Path) -> PlainGit:
    """The user's own git, as they would type it in a shell."""
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\nname = Reader\nemail = reader@example.org\n")
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C"}

    def run(root: Path, *arguments: str, check: bool = True) -> str:
        finished = subprocess.run(
            ["git", *arguments], cwd=root, env=environment, capture_output=True, check=False
        )
        assert not check or finished.returncode == 0, finished.stderr
        return finished.stdout.decode("utf-8", "surrogateescape")

    return run
