import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import pytest

from vault.consent import Consents
from vault.daily import add_note
from vault.errors import HistoryUnavailable
from vault.history.commit import CommitResult, Committed, commit_paths
from vault.history.git import find_git, run
from vault.history.log import log_article
from vault.history.message import message
from vault.history.recover import recover
from vault.history.state import Skipped, SkipReason
from vault.setup import prepare
from vault.vault import Vault, open_vault

PlainGit = Callable[..., str]


@pytest.fixture
def root(wiki: Vault) -> Path:
    return wiki.root


def commit(root: Path, changes: dict[str, bytes | None], subject: str = "Edit") -> CommitResult:
    """Write the changes to disk, as a save would, and commit them."""
    for relative, content in changes.items():
        path = root / relative
        if content is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return commit_paths(root, changes, subject, "you")


def reason(result: CommitResult) -> SkipReason:
    assert isinstance(result, Skipped)
    assert result.message.endswith(".")
    return result.reason


NASTY = [
    "-rf.md",
    "--output=x.md",
    ":(top)x.md",
    ":x.md",
    ":!x.md",
    "*.md",
    "a\nb.md",
    "a\tb.md",
    'quo"te.md',
    " lead and trail .md",
    "%s%n.md",
    "back\\slash.md",
    "$HOME.md",
    "~.md",
    "é自己.md",
    "x" * 252 + ".md",
    "/".join(["d" * 200] * 15) + "/x.md",
    os.fsdecode(b"caf\xe9.md"),
]


@pytest.mark.parametrize("name", NASTY, ids=range(len(NASTY)))
def test_exactly_the_named_path_is_committed(root: Path, git: PlainGit, name: str) -> None:
    (root / "articles/Other.md").write_text("not committed")
    (root / "articles/Welcome.md").write_text("changed, not committed")
    path = f"articles/{name}"
    if len(name) > 1000:
        folder = os.open(root, os.O_RDONLY)
        for part in path.split("/")[:-1]:
            if part != "articles":
                os.mkdir(part, dir_fd=folder)
            inner = os.open(part, os.O_RDONLY, dir_fd=folder)
            os.close(folder)
            folder = inner
        os.close(folder)
        result = commit_paths(root, {path: b"x"}, "Edit", "you")
    else:
        result = commit(root, {path: b"x"})
    assert isinstance(result, Committed)
    changed = git(root, "diff-tree", "-r", "-z", "--name-only", "HEAD^", "HEAD").split("\0")[:-1]
    assert changed == [path]
    assert git(root, "cat-file", "blob", f"HEAD:{path}") == "x"
    assert [revision.sha for revision in log_article(root, path)] == [result.sha]


BYTES = [b"a\r\nb\r\n", b"$Id$\n", b"no newline", b"\xef\xbb\xbfx", b"\xff\xfe", b"", b"a\0b"]


@pytest.mark.parametrize("content", BYTES)
def test_the_blob_is_the_file_whatever_the_attributes_say(
    root: Path, git: PlainGit, content: bytes
) -> None:
    git(root, "config", "core.autocrlf", "true")
    (root / ".gitattributes").write_text("*.md text eol=lf ident working-tree-encoding=UTF-16\n")
    assert isinstance(commit(root, {"articles/x.md": content}), Committed)
    blob = subprocess.run(
        ["git", "cat-file", "blob", "HEAD:articles/x.md"], cwd=root, capture_output=True, check=True
    )
    assert blob.stdout == content


def test_what_the_user_has_staged_stays_staged(root: Path, git: PlainGit) -> None:
    (root / "articles/Wikilinks.md").write_text("staged\n")
    (root / "articles/Zibaldone.md").write_text("staged first\n")
    git(root, "add", "articles/Wikilinks.md", "articles/Zibaldone.md")
    commit(root, {"articles/Welcome.md": b"ours\n", "articles/Zibaldone.md": b"ours\n"})
    assert git(root, "status", "--porcelain").splitlines() == [
        "M  articles/Wikilinks.md",
        "MM articles/Zibaldone.md",
    ]
    assert git(root, "show", ":articles/Zibaldone.md") == "staged first\n"
    assert git(root, "show", "--name-only", "--format=", "HEAD").split() == [
        "articles/Welcome.md",
        "articles/Zibaldone.md",
    ]


def test_a_commit_leaves_the_user_with_a_clean_status(root: Path, git: PlainGit) -> None:
    assert isinstance(
        commit(root, {"articles/New.md": b"x", "articles/Welcome.md": None}), Committed
    )
    assert git(root, "status", "--porcelain") == ""
    assert git(root, "fsck", "--strict") == ""


def test_ignored_articles_are_committed_all_the_same(root: Path) -> None:
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/exclude").write_text("*.md\n")
    assert isinstance(commit(root, {"articles/x.md": b"x"}), Committed)


def test_the_same_text_makes_no_second_commit(root: Path, git: PlainGit) -> None:
    commit(root, {"articles/x.md": b"x"})
    head = git(root, "rev-parse", "HEAD")
    assert reason(commit(root, {"articles/x.md": b"x"})) is SkipReason.UNCHANGED
    assert reason(commit_paths(root, {"articles/no.md": None}, "x", "you")) is SkipReason.UNCHANGED
    assert git(root, "rev-parse", "HEAD") == head


def test_an_executable_article_stays_executable(root: Path, git: PlainGit) -> None:
    git(root, "update-index", "--chmod=+x", "articles/Welcome.md")
    git(root, "commit", "-qm", "executable")
    commit(root, {"articles/Welcome.md": b"new"})
    assert git(root, "ls-tree", "HEAD", "articles/Welcome.md").startswith("100755")


def test_a_file_that_became_a_folder_is_committed(root: Path) -> None:
    commit(root, {"articles/a.md": b"x"})
    (root / "articles/a.md").unlink()
    assert isinstance(commit(root, {"articles/a.md/b.md": b"x"}), Committed)


def test_the_actor_is_in_a_trailer(root: Path, git: PlainGit) -> None:
    commit_paths(root, {"articles/x.md": b"x"}, "Edit x", "synthesis run 7")
    assert git(root, "log", "-1", "--format=%(trailers:key=Actor,valueonly)").strip() == (
        "synthesis run 7"
    )
    assert git(root, "log", "-1", "--format=%an <%ae> %cn").strip() == "zib <zib@localhost> zib"


@pytest.mark.parametrize(
    ("subject", "first_line"),
    [
        ("Edit x", "Edit x"),
        ("# looks like a comment", "# looks like a comment"),
        ("a\n\nActor: somebody\nSigned-off-by: me", "a Actor: somebody Signed-off-by: me"),
        ("nul\0and\x1b[31mescape", "nul and [31mescape"),
        ("x" * 1_000_000, "x" * 200),
        ("\n \0", "Change articles"),
        ("half \ud800 pair", "half pair"),
        ("-m", "-m"),
    ],
    ids=range(8),
)
def test_a_subject_forges_nothing(root: Path, git: PlainGit, subject: str, first_line: str) -> None:
    assert isinstance(commit(root, {"articles/x.md": b"x"}, subject), Committed)
    assert git(root, "log", "-1", "--format=%B") == f"{first_line}\n\nActor: you\n\n"


def test_an_actor_forges_nothing() -> None:
    assert message("Edit", "you\nActor: another\n\n") == "Edit\n\nActor: you Actor: another\n"


@pytest.mark.parametrize(
    ("commands", "expected"),
    [
        ([["checkout", "-q", "--detach"]], SkipReason.DETACHED_HEAD),
        ([["checkout", "-q", "--orphan", "new"]], None),
        ([["checkout", "-q", "-b", "topic/deep"]], None),
        ([["pack-refs", "--all"]], None),
        ([["update-index", "--split-index"]], None),
        ([["update-index", "--index-version", "4"]], None),
        ([["update-index", "--untracked-cache"]], None),
        ([["sparse-checkout", "set", "Meta"]], None),
        ([["gc", "-q"]], None),
        ([["bisect", "start"]], SkipReason.OPERATION_IN_PROGRESS),
        ([["config", "core.bare", "true"]], None),
        ([["config", "core.worktree", "/nowhere"]], None),
        ([["config", "core.fileMode", "false"]], None),
        ([["config", "user.useConfigOnly", "true"]], None),
        ([["config", "core.ignoreCase", "true"]], None),
    ],
)
def test_odd_states_are_committed_to_or_refused(
    root: Path, git: PlainGit, commands: list[list[str]], expected: SkipReason | None
) -> None:
    for command in commands:
        git(root, *command)
    result = commit(root, {"articles/x.md": b"x"})
    if expected is None:
        assert isinstance(result, Committed), result
        shown = run(["--git-dir=.git", "show", "HEAD:articles/x.md"], root)
        assert shown.output == b"x"
    else:
        assert reason(result) is expected
    assert (root / "articles/x.md").read_bytes() == b"x"


@pytest.mark.parametrize("operation", ["merge", "rebase", "cherry-pick", "stash"])
def test_nothing_is_committed_in_the_middle_of_something(
    root: Path, git: PlainGit, operation: str
) -> None:
    git(root, "checkout", "-qb", "side")
    commit(root, {"articles/Welcome.md": b"side\n"})
    git(root, "checkout", "-q", "main")
    if operation == "stash":
        (root / "articles/Welcome.md").write_text("stashed\n")
        git(root, "stash")
    commit(root, {"articles/Welcome.md": b"main\n"})
    git(root, *{"stash": ["stash", "pop"]}.get(operation, [operation, "side"]), check=False)
    conflicted = git(root, "ls-files", "-u")
    assert conflicted
    head = git(root, "rev-parse", "HEAD")
    assert reason(commit(root, {"articles/x.md": b"x"})) is SkipReason.OPERATION_IN_PROGRESS
    assert reason(recover(root)) is SkipReason.OPERATION_IN_PROGRESS
    assert (git(root, "rev-parse", "HEAD"), git(root, "ls-files", "-u")) == (head, conflicted)


def test_a_missing_repository_is_said_and_made_at_the_next_start(root: Path) -> None:
    shutil.rmtree(root / ".git")
    assert reason(commit(root, {"articles/x.md": b"x"})) is SkipReason.NO_REPOSITORY
    prepare(root)
    assert isinstance(recover(root), Committed)
    assert log_article(root, "articles/x.md")[0].subject == "Recover changes"


def test_a_git_file_that_points_elsewhere_is_not_followed(root: Path, tmp_path: Path) -> None:
    shutil.move(root / ".git", tmp_path / "elsewhere.git")
    (root / ".git").write_text(f"gitdir: {tmp_path / 'elsewhere.git'}\n")
    assert reason(commit(root, {"articles/x.md": b"x"})) is SkipReason.NO_REPOSITORY
    (root / ".git").unlink()
    (root / ".git").symlink_to(tmp_path / "elsewhere.git")
    assert reason(commit(root, {"articles/x.md": b"x"})) is SkipReason.NO_REPOSITORY


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_repository_of_another_user_is_refused(root: Path) -> None:
    os.chown(root / ".git", 65534, 65534)
    assert reason(commit(root, {"articles/x.md": b"x"})) is SkipReason.FOREIGN_OWNER


def test_without_git_the_wiki_works_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    find_git.cache_clear()
    try:
        opened = open_vault(tmp_path / "wiki")
        assert opened.is_ours
        assert not (opened.root / ".git").exists()
        base = opened.read("articles/Welcome.md")
        (opened.root / base.path).write_text(f"{base.text}theirs\n")
        written = opened.save(base.path, f"mine\n{base.text}", base)
        assert written.commit is not None
        assert (opened.root / written.saved.file.path).read_text().startswith("mine\n")
        assert reason(opened.recover()) is SkipReason.NO_GIT
        assert opened.set_up.commit is not None
        assert reason(opened.set_up.commit) is SkipReason.NO_GIT
    finally:
        find_git.cache_clear()


def test_a_git_in_the_wiki_is_never_run(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "git").write_text(f"#!/bin/sh\ntouch {tmp_path}/marker\n")
    (root / "git").chmod(0o755)
    monkeypatch.chdir(root)
    monkeypatch.setenv("PATH", f".::{os.environ['PATH']}")
    find_git.cache_clear()
    assert isinstance(commit(root, {"articles/x.md": b"x"}), Committed)
    find_git.cache_clear()
    assert not (tmp_path / "marker").exists()


@pytest.mark.parametrize(
    "damage",
    [
        ("HEAD", b""),
        ("HEAD", b"garbage"),
        ("refs/heads/main", b"garbage\n"),
        ("refs/heads/main", b"f" * 40 + b"\n"),
        ("config", b"[core\n"),
    ],
)
def test_damage_is_reported_and_nothing_is_deleted(root: Path, damage: tuple[str, bytes]) -> None:
    name, content = damage
    (root / ".git" / name).write_bytes(content)
    objects = sorted((root / ".git/objects").rglob("*"))
    result = commit(root, {"articles/x.md": b"x"})
    assert reason(result) in {SkipReason.DAMAGED, SkipReason.LOCKED}
    assert set(objects) <= set((root / ".git/objects").rglob("*"))
    assert (root / ".git" / name).read_bytes() == content


def test_a_truncated_index_does_not_stop_a_commit(root: Path, git: PlainGit) -> None:
    (root / ".git/index").write_bytes(b"DIRC\0\0")
    assert isinstance(commit(root, {"articles/x.md": b"x"}), Committed)
    assert git(root, "show", "HEAD:articles/x.md") == "x"


@pytest.mark.parametrize("lock", ["HEAD.lock", "refs/heads/main.lock"])
def test_somebody_elses_lock_is_waited_for_and_never_removed(
    root: Path, lock: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vault.history.commit._PAUSES_SECONDS", (0.0, 0.05, 0.1))
    path = root / ".git" / lock
    path.write_text("theirs")
    assert reason(commit(root, {"articles/x.md": b"x"})) is SkipReason.LOCKED
    assert path.read_text() == "theirs"
    path.unlink()
    assert isinstance(recover(root), Committed)


def test_a_locked_index_does_not_stop_a_commit(root: Path) -> None:
    (root / ".git/index.lock").write_text("theirs")
    assert isinstance(commit(root, {"articles/x.md": b"x"}), Committed)
    assert (root / ".git/index.lock").read_text() == "theirs"


def test_locks_that_our_own_killed_commit_left_are_removed(root: Path) -> None:
    sha = "1" * 40
    died = time.time() - 60
    (root / ".git/zibaldone-commit").write_text(f'[["refs/heads/main", "{sha}", {died}]]')
    locks = [root / ".git" / name for name in ("HEAD.lock", "refs/heads/main.lock", "index.lock")]
    for lock, content in zip(locks, ("", f"{sha}\n", "half an index"), strict=True):
        lock.write_text(content)
        os.utime(lock, (died, died))
    assert isinstance(commit(root, {"articles/x.md": b"x"}), Committed)
    assert not any(lock.exists() for lock in locks)
    assert (root / ".git/zibaldone-commit").read_bytes() == b""


@pytest.mark.parametrize("journal", ["", "{", "[1]", '[["../../x", "a", 1]]', "null", "[[]]"])
def test_a_damaged_journal_stops_nothing(root: Path, journal: str) -> None:
    (root / ".git/zibaldone-commit").write_text(journal)
    assert isinstance(commit(root, {"articles/x.md": b"x"}), Committed)


@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_a_repository_the_user_made_is_used(tmp_path: Path, git: PlainGit, kind: str) -> None:
    root = tmp_path / "own"
    prepare(root)
    shutil.rmtree(root / ".git")
    git(root, "init", "-q", f"--object-format={kind}", "-b", "trunk")
    prepare(root)
    assert isinstance(recover(root), Committed)
    assert isinstance(commit(root, {"articles/x.md": b"x"}), Committed)
    assert reason(recover(root)) is SkipReason.UNCHANGED
    assert git(root, "status", "--porcelain") == ""
    assert git(root, "fsck", "--strict") == ""


WRITER = """
import sys
from pathlib import Path
from vault.history.commit import commit_paths
root, name = Path(sys.argv[1]), sys.argv[2]
for number in range(8):
    (root / f"articles/{name}.md").write_text(str(number))
    changes = {f"articles/{name}.md": str(number).encode()}
    print(commit_paths(root, changes, f"{name} {number}", "you"))
"""


def test_two_processes_and_the_user_commit_at_once(root: Path, git: PlainGit) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(root), name], stdout=subprocess.PIPE, text=True
        )
        for name in ("first", "second")
    ]
    users = 0
    while any(writer.poll() is None for writer in writers):
        (root / "user.txt").write_text(str(users))
        git(root, "add", "user.txt", check=False)
        git(root, "commit", "-qm", f"user {users}", "--", "user.txt", check=False)
        users += 1
        time.sleep(0.2)
    output = "".join(writer.communicate()[0] for writer in writers)
    subjects = git(root, "log", "--format=%s").splitlines()
    committed = output.count("Committed(")
    assert committed + output.count("SkipReason.LOCKED") == 16, output
    assert sum(subject.startswith(("first ", "second ")) for subject in subjects) == committed
    assert committed >= 8, "losing the race for the branch is rare"
    recover(root)
    assert git(root, "show", "HEAD:articles/first.md") == "7"
    assert git(root, "show", "HEAD:articles/second.md") == "7"
    assert git(root, "fsck", "--strict", "--no-dangling") == ""
    assert not list((root / ".git").rglob("*.lock"))


def armed(root: Path, marker: Path) -> Iterator[str]:
    """Arm everything git can be told to run; yields the names that were armed."""
    touch = f"touch {marker}/"
    hooks = root / ".git/hooks"
    other = root / ".git/other-hooks"
    for folder in (hooks, other):
        folder.mkdir(exist_ok=True)
        for name in (
            *("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-checkout"),
            *("post-index-change", "reference-transaction", "pre-auto-gc", "post-rewrite"),
            *("pre-merge-commit", "post-merge", "fsmonitor-watchman", "update", "pre-rebase"),
        ):
            hook = folder / name
            hook.write_text(f"#!/bin/sh\n{touch}{folder.name}-{name}\n")
            hook.chmod(0o755)
            yield name
    (root / ".git/info").mkdir(exist_ok=True)
    for attributes in (root / ".gitattributes", root / ".git/info/attributes"):
        attributes.write_text("* filter=x diff=x merge=x\n")
    settings = {
        "core.fsmonitor": f"{touch}fsmonitor",
        "core.hooksPath": str(other),
        "filter.x.clean": f"{touch}clean; cat",
        "filter.x.smudge": f"{touch}smudge; cat",
        "filter.x.process": f"{touch}process",
        "filter.x.required": "true",
        "diff.external": f"{touch}diff-external",
        "diff.x.command": f"{touch}diff-command",
        "diff.x.textconv": f"{touch}textconv",
        "merge.x.driver": f"{touch}driver",
        "gpg.program": f"{touch}gpg",
        "commit.gpgsign": "true",
        "log.showSignature": "true",
        "core.pager": f"{touch}pager",
        "core.editor": f"{touch}editor",
        "sequence.editor": f"{touch}sequence",
        "core.sshCommand": f"{touch}ssh",
        "core.askPass": f"{touch}askpass",
        "credential.helper": f"!{touch}credential",
        "remote.origin.url": "ext::sh -c true",
        "remote.origin.uploadpack": f"{touch}uploadpack;",
        "remote.origin.promisor": "true",
        "remote.origin.partialclonefilter": "blob:none",
        "extensions.partialClone": "origin",
        "core.repositoryFormatVersion": "1",
        "protocol.ext.allow": "always",
        "core.alternateRefsCommand": f"{touch}alternate-refs",
        "trace2.eventTarget": f"{marker}/trace2",
        "include.path": str(root / ".git/included"),
    }
    (root / ".git/included").write_text(f"[core]\n\tfsmonitor = {touch}included\n")
    for name in ("hash-object", "read-tree", "update-index", "write-tree", "commit-tree"):
        settings[f"alias.{name}"] = f"!{touch}alias"
    with (root / ".git/config").open("a") as config:
        for name, value in settings.items():
            section, _, rest = name.partition(".")
            subsection, _, key = rest.rpartition(".")
            head = f'{section} "{subsection}"' if subsection else section
            config.write(f'[{head}]\n\t{key} = "{value}"\n')
            yield name


def test_nothing_in_the_repository_or_environment_is_executed(
    wiki: Vault, git: PlainGit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, marker = wiki.root, tmp_path / "markers"
    marker.mkdir()
    bare = root / "articles/bare"
    bare.mkdir()
    git(bare, "init", "-q", "--bare", ".")
    git(bare, "config", "core.fsmonitor", f"touch {marker}/bare")
    assert len(list(armed(root, marker))) > 50
    for name in ("GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_EDITOR", "GIT_SSH_COMMAND", "GIT_ASKPASS"):
        monkeypatch.setenv(name, f"touch {marker}/{name}")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "no-index"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", f"touch {marker}/environment")
    monkeypatch.setenv("GIT_TRACE", f"{marker}/trace")

    base = wiki.read("articles/Welcome.md")
    (root / "articles/Welcome.md").write_text(f"{base.text}\ntheirs\n")
    written = wiki.save("articles/Welcome.md", f"mine\n{base.text}", base)
    assert written.saved.outcome.name == "MERGED"
    assert isinstance(written.commit, Committed)
    assert isinstance(wiki.create("New page").commit, Committed)
    (root / "articles/Zibaldone.md").unlink()
    assert isinstance(wiki.recover(), Committed)
    assert len(wiki.log("articles/Welcome.md")) == 3
    use_the_whole_history(wiki)
    owned = tmp_path / "owned"
    git(tmp_path, "clone", "-q", "--no-local", "-c", "core.hooksPath=/dev/null", root, "owned")
    (owned / ".zibaldone.toml").unlink()
    list(armed(owned, marker))
    notes = open_vault(owned, Consents(tmp_path / "consents"), tmp_path / "data")
    notes.agree()
    assert isinstance(notes.recover(), Committed)
    use_the_whole_history(notes)
    blob = root / ".git/objects" / wiki.log("articles/New_page.md")[0].sha[:2]
    assert blob.is_dir()
    open_vault(root)
    missing = next(path for path in (root / ".git/objects").glob("*/*") if path.is_file())
    missing.unlink()
    # Which object is missing decides whether the history can still be read; fetching it is worse.
    with contextlib.suppress(HistoryUnavailable):
        wiki.log("articles/Welcome.md")
    with contextlib.suppress(HistoryUnavailable):
        wiki.recover()
    assert sorted(path.name for path in marker.iterdir()) == []


def use_the_whole_history(vault: Vault) -> None:
    """Everything the history can do, and everything that commits."""
    path = "articles/Wikilinks.md"
    vault.save(path, "# Wikilinks\n\none\n", vault.read(path))
    vault.save(path, "# Wikilinks\n\ntwo\n", vault.read(path), "synthesis run 1")
    first, second = (vault.history.find(path, name) for name in ("@2", "@0"))
    assert vault.history.diff(path, first).added == vault.history.diff(path, first, second).added
    assert len(vault.history.blame(path)) == 3
    vault.history.rollback("synthesis run 1")
    vault.history.undo("@0")
    vault.history.restore(path, first)
    vault.moves.carry_out(vault.moves.plan_rename(path, "Links of a wiki"))
    vault.history.undo("@0")
    vault.moves.carry_out(vault.moves.plan_delete(path))
    vault.history.restore(path, vault.history.find(path, "@1"))
    assert isinstance(add_note(vault, "noted", datetime.now().astimezone()).commit, Committed)


def test_the_armed_repository_is_really_armed(root: Path, tmp_path: Path) -> None:
    marker = tmp_path / "markers"
    marker.mkdir()
    list(armed(root, marker))
    (root / "articles/Welcome.md").write_text("changed\n")
    subprocess.run(["git", "status"], cwd=root, capture_output=True, check=False)
    subprocess.run(["git", "add", "."], cwd=root, capture_output=True, check=False)
    assert len(list(marker.iterdir())) >= 2


def test_objects_that_cannot_be_written_stop_only_the_commit(root: Path) -> None:
    (root / ".git/objects").rename(root / ".git/objects.away")
    (root / ".git/objects").write_text("not a folder")
    assert reason(commit(root, {"articles/x.md": b"x"})) is SkipReason.DAMAGED
    assert (root / "articles/x.md").read_bytes() == b"x"
