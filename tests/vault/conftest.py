import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from vault.vault import Vault, open_vault

PlainGit = Callable[..., str]


@pytest.fixture(scope="session")
def fresh_wiki(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wiki that was just set up, to be copied and left alone."""
    return open_vault(tmp_path_factory.mktemp("fresh") / "wiki").root


@pytest.fixture
def wiki(tmp_path: Path, fresh_wiki: Path) -> Vault:
    root = tmp_path / "wiki"
    shutil.copytree(fresh_wiki, root, symlinks=True)
    return open_vault(root)


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
