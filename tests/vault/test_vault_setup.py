import hashlib
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from vault.anchors import first_heading
from vault.article.page import parse_article
from vault.consent import Consents
from vault.errors import VaultUnusable
from vault.history.commit import Committed
from vault.links.resolve import Found, Wanted
from vault.links.scan import find_links
from vault.marker import MARKER_NAME, read_marker
from vault.names import stem_of, title_of
from vault.setup import prepare
from vault.vault import Vault, open_vault

PlainGit = Callable[..., str]
Fingerprint = dict[str, tuple[int, int, int, bytes]]


def fingerprint(root: Path) -> Fingerprint:
    """Every path with its mode, time, inode and bytes."""
    found: Fingerprint = {}
    for path in sorted([root, *root.rglob("*")]):
        status = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
        found[str(path)] = (status.st_mode, status.st_mtime_ns, status.st_ino, content)
    return found


def test_a_new_folder_becomes_a_wiki_with_one_commit(tmp_path: Path, git: PlainGit) -> None:
    root = tmp_path / "deep" / "wiki"
    made = prepare(root)
    assert made.is_ours
    assert stat.S_IMODE(root.stat().st_mode) == 0o700, "a wiki is personal"
    assert isinstance(made.commit, Committed)
    committed = git(root, "ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0")[:-1]
    assert sorted(committed) == sorted(made.created)
    assert {"README.md", ".gitignore", MARKER_NAME} < set(made.created)
    assert {path.name for path in root.iterdir() if path.is_dir()} == {
        *("articles", "Reference", "Meta", "Talk", ".git")
    }
    assert git(root, "status", "--porcelain") == ""
    assert git(root, "log", "--format=%s|%(trailers:key=Actor,valueonly)").split() == [
        *("Set", "up", "the", "wiki|zib")
    ]
    assert git(root, "fsck", "--strict") == ""


def test_setting_up_twice_changes_nothing(tmp_path: Path) -> None:
    root = tmp_path / "wiki"
    prepare(root)
    before = fingerprint(root)
    again = prepare(root)
    assert again.is_ours
    assert again.created == ()
    assert again.commit is None
    assert fingerprint(root) == before


def test_what_the_user_changed_or_deleted_stays_so(tmp_path: Path) -> None:
    root = tmp_path / "wiki"
    prepare(root)
    mine = ["README.md", ".gitignore", "Meta/Editorial_Guidelines.md", "articles/Zibaldone.md"]
    for name in mine:
        (root / name).write_text("mine\n")
    (root / "articles/Welcome.md").unlink()
    prepare(root)
    assert [(root / name).read_text() for name in mine] == ["mine\n"] * len(mine)
    assert not (root / "articles/Welcome.md").exists()


def test_reference_pages_are_renewed_unless_the_user_changed_them(tmp_path: Path) -> None:
    root = tmp_path / "wiki"
    prepare(root)
    page = root / "Reference/Using_Zibaldone.md"
    current = page.read_bytes()
    assert stat.S_IMODE(page.stat().st_mode) == 0o444

    page.chmod(0o644)
    page.write_text("an older version\n")
    marker = root / MARKER_NAME
    old_sha = "b1dbfbf1b2ad8cc2ea8d8dd2e9c2f8f1e9a2c3ed9a6ad04dd5bb8d6ad6a0a2b1"
    marker.write_text(re.sub('= "[0-9a-f]{64}"', f'= "{old_sha}"', marker.read_text()))
    prepare(root)
    assert page.read_text() == "an older version\n", "its hash is not the one we wrote"

    old_sha = hashlib.sha256(b"an older version\n").hexdigest()
    marker.write_text(re.sub('= "[0-9a-f]{64}"', f'= "{old_sha}"', marker.read_text()))
    renewed = prepare(root)
    assert page.read_bytes() == current
    assert set(renewed.created) == {"Reference/Using_Zibaldone.md", MARKER_NAME}
    page.unlink()
    prepare(root)
    assert page.read_bytes() == current


def test_a_start_killed_before_the_marker_was_there_is_started_over(tmp_path: Path) -> None:
    root = tmp_path / "wiki"
    root.mkdir()
    (root / ".zib-123-0123456789ab.tmp~").write_text("half a marker")
    (root / ".DS_Store").write_text("x")
    assert prepare(root).is_ours


def test_an_interrupted_set_up_is_finished_the_next_time(tmp_path: Path, git: PlainGit) -> None:
    complete = prepare(tmp_path / "complete").created
    root = tmp_path / "wiki"
    root.mkdir()
    (root / MARKER_NAME).write_text("format = 1\nseeded = false\n")
    (root / "articles").mkdir()
    (root / ".git").mkdir()
    made = open_vault(root)
    assert made.is_ours
    made.recover()
    committed = git(root, "ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0")[:-1]
    assert set(committed) == set(complete)
    marker = read_marker(root)
    assert marker is not None
    assert marker.is_seeded


@pytest.mark.parametrize(
    "contents",
    [
        {"note.md": "# Note\n"},
        {"deep/er/note.md": "x"},
        {".obsidian/app.json": "{}", "a.md": "[[b]]"},
        {"photo.jpg": "not a note"},
        {MARKER_NAME: "format = 2\n", "articles/a.md": "newer than this program"},
        {MARKER_NAME: "not toml at all [", "articles/a.md": "x"},
        {"articles/a.md": "# A\n", "Meta/b.md": "x", "README.md": "looks like ours"},
    ],
)
def test_somebody_elses_folder_is_opened_without_touching_it(
    tmp_path: Path, contents: dict[str, str]
) -> None:
    root = tmp_path / "notes"
    for name, text in contents.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    os.utime(root, ns=(1, 1))
    before = fingerprint(root)
    opened = open_vault(root)
    assert not opened.is_ours
    assert opened.set_up.created == ()
    listing = opened.listing()
    for note in listing.notes:
        opened.read(note.path)
    opened.resolver(listing)
    opened.recover()
    assert fingerprint(root) == before


def test_a_foreign_repository_is_never_committed_to(tmp_path: Path, git: PlainGit) -> None:
    root = tmp_path / "notes"
    root.mkdir()
    git(root, "init", "-q")
    (root / "a.md").write_text("# A\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    before = fingerprint(root)
    opened = open_vault(root, Consents(tmp_path / "consents"))
    assert not opened.is_ours
    opened.agree()
    assert fingerprint(root) == before
    written = opened.save("a.md", "# A\n\nmore\n", opened.read("a.md"))
    assert not isinstance(written.commit, Committed)
    assert git(root, "log", "--format=%s") == "first\n"
    assert git(root, "status", "--porcelain") == " M a.md\n"


def test_a_wiki_inside_a_repository_leaves_the_outer_one_alone(
    tmp_path: Path, git: PlainGit
) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    (outer / "x").write_text("x")
    git(outer, "add", ".")
    git(outer, "commit", "-qm", "outer")
    before = fingerprint(outer / ".git")
    opened = open_vault(outer / "wiki")
    opened.save("articles/Welcome.md", "# Welcome\n", opened.read("articles/Welcome.md"))
    assert fingerprint(outer / ".git") == before
    assert len(git(outer / "wiki", "log", "--format=%s").splitlines()) == 2


def test_a_file_in_the_way_is_explained(tmp_path: Path) -> None:
    (tmp_path / "wiki").write_text("a file")
    with pytest.raises(VaultUnusable, match="cannot be used"):
        prepare(tmp_path / "wiki")


def test_pages_that_lead_out_through_a_link_are_not_written(tmp_path: Path) -> None:
    root = tmp_path / "wiki"
    outside = tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (root / MARKER_NAME).write_text("format = 1\n")
    for name in ("articles", "Meta", "Reference"):
        (root / name).symlink_to(outside)
    (root / "README.md").symlink_to(outside / "README.md")
    assert prepare(root).is_ours
    assert list(outside.iterdir()) == []


def test_the_pages_that_come_with_zib_follow_the_grammar(wiki: Vault) -> None:
    listing = wiki.listing()
    resolver = wiki.resolver(listing)
    assert len(listing.notes) >= 8
    for note in listing.notes:
        text = wiki.read(note.path).text
        assert text is not None
        assert first_heading(text) == title_of(stem_of(note.path)), note.path
        lead = text.split("\n\n")[1]
        assert "**" in lead.split(".")[0], f"{note.path}: the first sentence names the subject"
        assert "\n## See also\n" in text
        assert text.endswith("\n")
        for link in find_links(text):
            target = resolver.resolve(link, note.path)
            if link.target == "My first article":
                assert target == Wanted("My first article")
                continue
            assert isinstance(target, Found), (note.path, link)
            assert not target.is_ambiguous
            if target.fragment:
                linked = wiki.read(target.path).text
                assert linked is not None
                assert parse_article(linked).find_heading(target.fragment) is not None
