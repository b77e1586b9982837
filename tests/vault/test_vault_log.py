from collections.abc import Callable
from pathlib import Path

import pytest

from vault.errors import HistoryUnavailable, NotAllowed
from vault.history.commit import commit_paths
from vault.vault import Vault

PlainGit = Callable[..., str]
BODY = "".join(f"line {number}\n" for number in range(30))


def rename(root: Path, old: str, new: str, text: str) -> None:
    (root / old).rename(root / new)
    commit_paths(root, {old: None, new: text.encode()}, f"Move {old} to {new}", "you")


def test_the_log_follows_renames_back_to_the_first_text(wiki: Vault) -> None:
    root = wiki.root
    (root / "articles/a.md").write_text(BODY)
    commit_paths(root, {"articles/a.md": BODY.encode()}, "Create a", "you")
    rename(root, "articles/a.md", "articles/b c.md", BODY + "more\n")
    text = BODY + "more\nand more\n"
    commit_paths(root, {"articles/b c.md": text.encode()}, "Edit b", "synthesis run 2")
    rename(root, "articles/b c.md", "articles/é.md", text)
    commit_paths(root, {"articles/Welcome.md": b"unrelated"}, "Edit Welcome", "you")
    log = wiki.log("articles/é.md")
    assert [(revision.subject, revision.path, revision.actor) for revision in log] == [
        ("Move articles/b c.md to articles/é.md", "articles/é.md", "you"),
        ("Edit b", "articles/b c.md", "synthesis run 2"),
        ("Move articles/a.md to articles/b c.md", "articles/b c.md", "you"),
        ("Create a", "articles/a.md", "you"),
    ]
    assert len(wiki.log("articles/é.md", limit=2)) == 2
    assert len(wiki.log("articles/é.md", limit=3)) == 3


def test_commits_of_the_user_are_in_the_log(wiki: Vault, git: PlainGit) -> None:
    (wiki.root / "articles/Welcome.md").write_text("mine\n")
    git(wiki.root, "commit", "-qam", "By hand\n\nActor: forged\nActor: twice")
    newest = wiki.log("articles/Welcome.md")[0]
    assert (newest.subject, newest.author) == ("By hand", "Reader")
    assert newest.when.tzinfo is not None


@pytest.mark.parametrize("date", ["1970-01-01T00:00:00Z", "2099-12-31T23:59:59Z"])
def test_a_wrong_clock_does_not_change_the_order(wiki: Vault, git: PlainGit, date: str) -> None:
    (wiki.root / "articles/Welcome.md").write_text("odd\n")
    git(wiki.root, "commit", "-qam", "odd", f"--date={date}")
    commit_paths(wiki.root, {"articles/Welcome.md": b"after"}, "after", "you")
    assert [revision.subject for revision in wiki.log("articles/Welcome.md")] == [
        *("after", "odd", "Set up the wiki")
    ]


def test_a_subject_in_any_encoding_is_readable(wiki: Vault, git: PlainGit) -> None:
    (wiki.root / "articles/Welcome.md").write_text("x\n")
    git(wiki.root, "-c", "i18n.commitEncoding=latin1", "commit", "-qam", "caf\udce9")
    assert wiki.log("articles/Welcome.md")[0].subject == "café"


def test_an_article_without_history_has_an_empty_log(wiki: Vault) -> None:
    assert wiki.log("articles/Never_written.md") == ()


def test_no_history_is_said_and_a_bad_path_refused(wiki: Vault, git: PlainGit) -> None:
    with pytest.raises(NotAllowed):
        wiki.log("../x.md")
    (wiki.root / ".git/refs/heads/main").write_text("f" * 40 + "\n")
    with pytest.raises(HistoryUnavailable, match="git fsck"):
        wiki.log("articles/Welcome.md")
    (wiki.root / ".git").rename(wiki.root / "gone")
    with pytest.raises(HistoryUnavailable, match="missing"):
        wiki.log("articles/Welcome.md")
