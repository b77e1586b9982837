import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from tests.vault.killed_child import HARDEN, Changes, changes, sweep_timeout
from vault.history.commit import Committed
from vault.vault import Vault, open_vault

PlainGit = Callable[..., str]
ROUNDS = 60 if HARDEN else 4
FIRST_STARTS = 20 if HARDEN else 3

# Saves numbered texts until it is killed; a number is printed once its save has returned.
SAVER = """
import itertools, sys
from pathlib import Path
from vault.vault import open_vault
vault = open_vault(Path(sys.argv[1]))
for number in itertools.count(int(sys.argv[2])):
    base = vault.read("articles/Welcome.md")
    print(number, flush=True)
    vault.save("articles/Welcome.md", f"# Welcome\\n\\n{number}\\n" + "x" * 20000, base)
"""


def number_in(path: Path) -> int:
    """The number of a whole text; fails for a torn one."""
    text = path.read_text()
    head, number, body = text.split("\n\n")[0], text.split("\n")[2], text.split("\n")[3]
    assert head == "# Welcome"
    assert body == "x" * 20000
    return int(number)


@sweep_timeout
def test_a_killed_save_leaves_a_whole_text_and_a_sound_history(wiki: Vault, git: PlainGit) -> None:
    seed = random.randrange(1 << 32)
    sys.stdout.write(f"seed {seed}\n")
    delays = random.Random(seed)
    root, article = wiki.root, wiki.root / "articles/Welcome.md"
    untouched = article.read_bytes()
    started = 1
    for _ in range(ROUNDS):
        saver = subprocess.Popen(
            [sys.executable, "-c", SAVER, str(root), str(started)],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert saver.stdout is not None
        assert saver.stdout.readline() == f"{started}\n"
        time.sleep(delays.uniform(0, 0.25))
        os.killpg(saver.pid, signal.SIGKILL)
        begun = [started, *(int(line) for line in saver.communicate()[0].split())]
        if article.read_bytes() != untouched:
            assert number_in(article) in {begun[-1], begun[-1] - 1}
        started = begun[-1] + 1

        reopened = open_vault(root)
        reopened.recover()
        base = reopened.read("articles/Welcome.md")
        text = f"# Welcome\n\n{started}\n" + "x" * 20000
        written = reopened.save("articles/Welcome.md", text, base)
        assert isinstance(written.commit, Committed)
        started += 1
        assert git(root, "fsck", "--strict", "--no-dangling") == ""
        assert git(root, "status", "--porcelain") == ""
    (root / "by hand").write_text("x")
    git(root, "add", "by hand")
    git(root, "commit", "-qm", "The user is never blocked")


KILLED_STEPS = [
    "hash-object",
    "read-tree",
    "update-index",
    "write-tree",
    "commit-tree",
    "update-ref",
]

# Dies at the start of one git command, as if the machine had stopped there.
DIES = """
    import vault.history.git as runner
    real = runner._execute
    words = {words}[moment - 1000]
    def dies(command, *rest):
        if words <= set(command):
            os.kill(os.getpid(), signal.SIGKILL)
        return real(command, *rest)
    runner._execute = dies
"""
SAVES = (
    'vault.save("articles/Welcome.md", "# Welcome\\n\\nnew\\n", vault.read("articles/Welcome.md"))'
)


def dying(words: list[set[str]]) -> AbstractContextManager[Changes]:
    """Saves that end before a command with such words: moment 1000 is the first of them."""
    return changes(DIES.format(words=words), SAVES)


def test_dying_before_any_step_of_a_commit_loses_nothing(
    tmp_path: Path, fresh_wiki: Path, git: PlainGit
) -> None:
    with dying([{step} for step in KILLED_STEPS]) as saves:
        for number, step in enumerate(KILLED_STEPS):
            root = tmp_path / step
            shutil.copytree(fresh_wiki, root, symlinks=True)
            assert saves.run(root, 1000 + number).was_killed
            assert (root / "articles/Welcome.md").read_text() == "# Welcome\n\nnew\n"
            reopened = open_vault(root)
            assert isinstance(reopened.recover(), Committed)
            assert [revision.subject for revision in reopened.log("articles/Welcome.md")] == [
                *("Recover changes", "Set up the wiki")
            ]
            assert git(root, "status", "--porcelain") == ""


def test_an_interrupted_first_start_is_completed(tmp_path: Path, git: PlainGit) -> None:
    root = tmp_path / "wiki"
    script = f"import pathlib, vault.vault as v; v.open_vault(pathlib.Path({str(root)!r}))"
    delays = random.Random(4)
    for _ in range(FIRST_STARTS):
        started = subprocess.Popen([sys.executable, "-c", script])
        deadline = time.monotonic() + 10
        while not root.exists() and time.monotonic() < deadline:
            time.sleep(0.001)
        time.sleep(delays.uniform(0, 0.1))
        started.kill()
        started.wait()
        time.sleep(0.1)  # a git command finishes by itself, in its own session
        opened = open_vault(root)
        opened.recover()
        assert opened.is_ours
        assert {"Welcome", "Zibaldone", "Using Zibaldone"} <= {
            note.title for note in opened.listing().notes
        }
        assert git(root, "fsck", "--strict", "--no-dangling") == ""
        assert git(root, "status", "--porcelain") == ""
        subprocess.run(["rm", "-rf", str(root)], check=True)


def test_dying_between_the_branch_and_the_index_is_put_right(wiki: Vault, git: PlainGit) -> None:
    with dying([{"ls-files", "-s"}]) as saves:
        assert saves.run(wiki.root, 1000).was_killed
    assert git(wiki.root, "status", "--porcelain") == "MM articles/Welcome.md\n"
    reopened = open_vault(wiki.root)
    reopened.recover()
    assert git(wiki.root, "status", "--porcelain") == ""
    assert len(reopened.log("articles/Welcome.md")) == 2
