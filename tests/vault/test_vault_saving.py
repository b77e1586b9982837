import errno
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import vault.atomic
import vault.exchange
from vault.confined import Place
from vault.errors import ArticleExists, ReadOnlyArticle, SaveFailed, VaultError
from vault.exchange import exchange
from vault.files import create_article, read_article
from vault.moving.relocate import relocate
from vault.saving import Outcome, Saved, save_article

LINES = "".join(f"line {number}\n" for number in range(1, 21))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "notes"
    root.mkdir()
    (root / "a.md").write_text(LINES)
    return root


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def edit(root: Path, old: str, new: str, between: Callable[[], object] = lambda: None) -> Saved:
    """Read a.md, let something happen, then save it with `old` replaced by `new`."""
    base = read_article(root, "a.md")
    assert base.text is not None
    between()
    return save_article(root, "a.md", base.text.replace(old, new), base)


def test_an_edit_replaces_the_file_and_leaves_nothing_else(root: Path) -> None:
    saved = edit(root, "line 3\n", "third\n")
    assert saved.outcome is Outcome.SAVED
    assert (root / "a.md").read_text() == LINES.replace("line 3\n", "third\n")
    assert saved.file.content == (root / "a.md").read_bytes()
    assert names_in(root) == ["a.md"]
    assert read_article(root, "a.md") == saved.file, "the result is the base of the next save"


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfmarked\r\nfile\r\n",
        b"old\rmac\r",
        b"mixed\r\nbreaks\nhere\r",
        b"no final break",
        b"form\x0cfeed \xe2\x80\xa8 and more \xc2\x85\n",
        b"nbsp\xc2\xa0 tab\t trailing  \n\n\n",
        b"late nul" + b"x" * 9000 + b"\0\n",
        b"",
    ],
)
def test_saving_unedited_text_writes_nothing(root: Path, content: bytes) -> None:
    (root / "a.md").write_bytes(content)
    before = (root / "a.md").stat()
    base = read_article(root, "a.md")
    assert base.text is not None
    assert save_article(root, "a.md", base.text, base).outcome is Outcome.UNCHANGED
    as_editor = "\n".join(base.text.splitlines()) + ("\n" if base.text[-1:] in "\r\n" else "")
    assert save_article(root, "a.md", as_editor if base.text else "", base).outcome is (
        Outcome.UNCHANGED
    )
    after = (root / "a.md").stat()
    assert (root / "a.md").read_bytes() == content
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


# What ends a line in an editor; a typed one becomes the file's own break.
BREAKS = "\0\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    st.lists(st.text(st.characters(codec="utf-8"), max_size=8), max_size=12),
    st.sampled_from(["\n", "\r\n", "\r", "\x0c", "\u2028"]),
    st.text(st.characters(codec="utf-8", exclude_characters=BREAKS), max_size=8),
    st.booleans(),
)
def test_only_the_edited_bytes_change(
    root: Path, lines: list[str], line_break: str, word: str, has_mark: bool
) -> None:
    body = line_break.join([*lines, "EDIT ME"])
    mark = b"\xef\xbb\xbf" if has_mark else b""
    if "\0" in body or body.count("EDIT ME") != 1 or body.startswith("\ufeff"):
        return
    (root / "a.md").write_bytes(mark + body.encode())
    edit(root, "EDIT ME", word)
    assert (root / "a.md").read_bytes() == mark + body.replace("EDIT ME", word).encode()


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_a_new_line_gets_the_break_the_file_has(root: Path, line_break: str) -> None:
    (root / "a.md").write_bytes(line_break.join(["one", "EDIT ME", ""]).encode())
    edit(root, "EDIT ME", "two\nthree")
    expected = line_break.join(["one", "two", "three", ""]).encode()
    assert (root / "a.md").read_bytes() == expected


def same_second_same_size(root: Path) -> None:
    before = (root / "a.md").stat()
    (root / "a.md").write_text(LINES.replace("line 9\n", "LINE 9\n"))
    os.utime(root / "a.md", ns=(before.st_atime_ns, before.st_mtime_ns))


def another_inode(root: Path) -> None:
    (root / "new").write_text(LINES.replace("line 9\n", "LINE 9\n"))
    (root / "new").replace(root / "a.md")


def with_windows_breaks(root: Path) -> None:
    (root / "a.md").write_bytes(
        LINES.replace("line 9\n", "LINE 9\n").replace("\n", "\r\n").encode()
    )


@pytest.mark.parametrize("change", [same_second_same_size, another_inode, with_windows_breaks])
def test_a_change_elsewhere_in_the_file_is_merged(
    root: Path, change: Callable[[Path], None]
) -> None:
    saved = edit(root, "line 17\n", "seventeenth\n", lambda: change(root))
    assert saved.outcome is Outcome.MERGED
    expected = LINES.replace("line 9\n", "LINE 9\n").replace("line 17\n", "seventeenth\n")
    if change is with_windows_breaks:
        expected = expected.replace("\n", "\r\n")
    assert (root / "a.md").read_bytes() == expected.encode()
    assert saved.file.content == expected.encode()
    assert names_in(root) == ["a.md"]


def same_line(root: Path) -> None:
    (root / "a.md").write_text(LINES.replace("line 3\n", "theirs\n"))


def not_utf8(root: Path) -> None:
    (root / "a.md").write_bytes(b"caf\xe9\n")


def binary(root: Path) -> None:
    (root / "a.md").write_bytes(b"\0\1\2")


def a_folder(root: Path) -> None:
    (root / "a.md").unlink()
    (root / "a.md").mkdir()


def a_pipe(root: Path) -> None:
    (root / "a.md").unlink()
    os.mkfifo(root / "a.md")


def huge(root: Path) -> None:
    with (root / "a.md").open("wb") as file:
        file.truncate(1 << 30)


def state_of(path: Path) -> tuple[int, bytes]:
    status = path.lstat()
    is_small_file = stat.S_ISREG(status.st_mode) and status.st_size < 1 << 20
    return status.st_mode, path.read_bytes() if is_small_file else b""


@pytest.mark.parametrize("change", [same_line, not_utf8, binary, a_folder, a_pipe, huge])
def test_what_cannot_be_merged_is_kept_beside(root: Path, change: Callable[[Path], None]) -> None:
    saved = edit(root, "line 3\n", "mine\n", lambda: change(root))
    theirs = root.parent / "theirs"
    theirs.mkdir()
    (theirs / "a.md").write_text(LINES)
    change(theirs)
    assert saved.outcome is Outcome.CONFLICT_COPY
    assert state_of(root / "a.md") == state_of(theirs / "a.md"), "their side is as they left it"
    copy = root / saved.file.path
    assert copy.read_text() == LINES.replace("line 3\n", "mine\n")
    assert copy.name.startswith("a (conflict 20")
    assert copy.name.endswith(".md")
    assert names_in(root) == sorted(["a.md", copy.name])
    assert read_article(root, saved.file.path) == saved.file


def test_two_conflicts_in_one_second_make_two_copies(root: Path) -> None:
    base = read_article(root, "a.md")
    same_line(root)
    first = save_article(root, "a.md", LINES.replace("line 3", "mine"), base)
    second = save_article(root, "a.md", LINES.replace("line 3", "mine too"), base)
    assert first.file.path != second.file.path
    assert len(names_in(root)) == 3


def test_the_longest_name_has_room_for_its_conflict_copy(root: Path) -> None:
    name = "é" * 126 + ".md"
    (root / name).write_text("one\n")
    base = read_article(root, name)
    (root / name).write_text("two\n")
    saved = save_article(root, name, "three\n", base)
    assert (root / saved.file.path).read_text() == "three\n"


def test_a_deleted_article_comes_back_with_the_edit(root: Path) -> None:
    saved = edit(root, "line 3\n", "mine\n", (root / "a.md").unlink)
    assert saved.outcome is Outcome.RECREATED
    assert (root / "a.md").read_text() == LINES.replace("line 3\n", "mine\n")


def test_a_deleted_folder_comes_back_with_the_edit(root: Path) -> None:
    (root / "deep/er").mkdir(parents=True)
    (root / "deep/er/b.md").write_text("one\n")
    base = read_article(root, "deep/er/b.md")
    shutil.rmtree(root / "deep")
    save_article(root, "deep/er/b.md", "two\n", base)
    assert (root / "deep/er/b.md").read_text() == "two\n"


def test_the_same_change_on_both_sides_is_no_conflict(root: Path) -> None:
    text = LINES.replace("line 3\n", "same\n")
    saved = edit(root, "line 3\n", "same\n", lambda: (root / "a.md").write_text(text))
    assert saved.outcome is Outcome.SAVED
    assert names_in(root) == ["a.md"]


def write_theirs(root: Path, number: int) -> None:
    (root / "new").write_text(LINES.replace("line 9\n", f"theirs {number}\n"))
    (root / "new").replace(root / "a.md")


@pytest.mark.parametrize("is_exchanged", [True, False])
def test_a_write_between_check_and_rename_is_merged(
    root: Path, is_exchanged: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0
    real_take_over = vault.atomic._take_over

    def late(folder: int, first: str, second: str) -> bool:
        nonlocal calls
        calls += 1
        if is_exchanged and calls in {1, 3, 5}:  # the even calls put theirs back
            write_theirs(root, calls)
        return is_exchanged and exchange(folder, first, second)

    def early(place: Place, temporary: str, status: os.stat_result) -> None:
        real_take_over(place, temporary, status)
        if not is_exchanged and calls == 0:
            write_theirs(root, 5)

    monkeypatch.setattr(vault.atomic, "exchange", late)
    monkeypatch.setattr(vault.atomic, "_take_over", early)
    saved = edit(root, "line 17\n", "mine\n")
    assert saved.outcome is Outcome.MERGED
    text = (root / "a.md").read_text()
    assert text == LINES.replace("line 9\n", "theirs 5\n").replace("line 17\n", "mine\n")
    assert names_in(root) == ["a.md"]


def test_a_write_while_theirs_is_put_back_is_kept_in_a_file(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0

    def late(folder: int, first: str, second: str) -> bool:
        nonlocal calls
        calls += 1
        if calls <= 2:
            write_theirs(root, calls)
        return exchange(folder, first, second)

    monkeypatch.setattr(vault.atomic, "exchange", late)
    edit(root, "line 17\n", "mine\n")
    texts = "".join((root / name).read_text() for name in names_in(root))
    assert all(words in texts for words in ("theirs 1\n", "theirs 2\n", "mine\n"))


def test_a_linked_article_is_written_through_its_link(root: Path) -> None:
    (root / "link.md").symlink_to("a.md")
    base = read_article(root, "link.md")
    save_article(root, "link.md", "new\n", base)
    assert (root / "link.md").is_symlink()
    assert (root / "a.md").read_text() == "new\n"


def test_a_link_swapped_in_is_not_followed_out(root: Path) -> None:
    outside = root.parent / "outside.md"
    outside.write_text("theirs\n")
    base = read_article(root, "a.md")
    (root / "a.md").unlink()
    (root / "a.md").symlink_to(outside)
    with pytest.raises(VaultError):
        save_article(root, "a.md", "mine\n", base)
    assert outside.read_text() == "theirs\n"


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o755])
def test_mode_and_attributes_are_kept(root: Path, mode: int) -> None:
    (root / "a.md").chmod(mode)
    if sys.platform == "linux":
        os.setxattr(root / "a.md", "user.colour", b"green")
    edit(root, "line 3", "third")
    assert stat.S_IMODE((root / "a.md").stat().st_mode) == mode
    if sys.platform == "linux":
        assert os.getxattr(root / "a.md", "user.colour") == b"green"


def test_a_hard_link_is_reported(root: Path) -> None:
    os.link(root / "a.md", root / "b.md")
    saved = edit(root, "line 3", "third")
    assert len(saved.notes) == 1
    assert (root / "b.md").read_text() == LINES


@pytest.mark.parametrize("content", [b"caf\xe9", b"\0", "wide".encode("utf-16")])
def test_what_is_not_utf8_is_never_written(root: Path, content: bytes) -> None:
    (root / "a.md").write_bytes(content)
    base = read_article(root, "a.md")
    with pytest.raises(ReadOnlyArticle):
        save_article(root, "a.md", "new", base)
    assert (root / "a.md").read_bytes() == content


def test_an_article_protected_meanwhile_is_left_alone(root: Path) -> None:
    with pytest.raises(ReadOnlyArticle):
        edit(root, "line 3", "third", lambda: (root / "a.md").chmod(0o444))
    assert (root / "a.md").read_text() == LINES


def test_more_than_can_be_edited_again_is_refused(root: Path) -> None:
    with pytest.raises(SaveFailed, match="larger than 5 MB"):
        edit(root, "line 3", "x" * 5_000_001)
    assert (root / "a.md").read_text() == LINES


def test_a_lone_surrogate_from_a_terminal_does_not_stop_a_save(root: Path) -> None:
    edit(root, "line 3", "a\udcffb")
    assert "a\ufffdb" in (root / "a.md").read_text()


IN_A_CHILD = """
import os, resource, signal, sys
from pathlib import Path
from vault.errors import SaveFailed
from vault.files import read_article
from vault.saving import save_article
import vault.text, vault.merge
root, trouble = Path(sys.argv[1]), sys.argv[2]
base = read_article(root, "a.md")
if trouble == "full":
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
if trouble == "forbidden":
    os.seteuid(65534)
if trouble == "descriptors":
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
try:
    save_article(root, "a.md", base.text + "x" * 100_000, base)
except SaveFailed as error:
    print(error)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    os.seteuid(os.getuid())
    print(sorted(os.listdir(root)))
    print(save_article(root, "a.md", base.text + "x" * 100_000, base).outcome.name)
"""


@pytest.mark.parametrize(
    ("trouble", "sentence"),
    [
        ("full", "larger than this system allows"),
        ("forbidden", "permissions"),
        ("descriptors", "too many files are open"),
    ],
)
def test_a_failed_save_leaves_the_old_file_and_can_be_repeated(
    trouble: str, sentence: str, root: Path
) -> None:
    if trouble == "forbidden" and os.geteuid() != 0:
        root.chmod(0o555)
    root.parent.chmod(0o755)
    finished = subprocess.run(
        [sys.executable, "-c", IN_A_CHILD, str(root), trouble],
        capture_output=True,
        text=True,
        check=True,
    )
    message, left, retried = finished.stdout.splitlines()
    assert sentence in message
    assert "“a.md” was not saved" in message
    assert left == "['a.md']"
    assert retried == "SAVED"


FAULTS = ["open", "write", "fsync", "fchmod", "link", "replace", "unlink"]


@pytest.mark.parametrize("code", [errno.EIO, errno.ENOSPC])
@pytest.mark.parametrize("name", FAULTS)
def test_an_error_of_any_system_call_leaves_old_or_new(
    name: str, code: int, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each call of each kind fails in turn, until a save needs no more of them."""
    real = getattr(os, name)
    new = LINES.replace("line 3\n", "third\n")
    monkeypatch.setattr(vault.atomic, "exchange", lambda *_: False)
    for failing in range(1, 30):
        (root / "a.md").write_text(LINES)
        calls = 0

        def fault(*arguments: object, _failing: int = failing, **options: object) -> object:
            nonlocal calls
            calls += 1
            if calls == _failing:
                raise OSError(code, os.strerror(code))
            return real(*arguments, **options)

        base = read_article(root, "a.md")
        with monkeypatch.context() as patched:
            patched.setattr(os, name, fault)
            try:
                save_article(root, "a.md", new, base)
                failed = False
            except SaveFailed:
                failed = True
        assert (root / "a.md").read_text() in {LINES, new}
        leftovers = [found for found in names_in(root) if found != "a.md"]
        if name != "unlink":
            assert leftovers == []
        for found in leftovers:
            (root / found).unlink()
        if calls < failing:
            assert not failed
            return
    pytest.fail("the save never got through")


@pytest.mark.parametrize("code", [errno.EPERM, errno.EOPNOTSUPP])
def test_a_disk_without_hard_links_is_written_to(
    code: int, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """exFAT, and some disks of a network: they cannot exchange two files either."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(vault.exchange, "_system_call", lambda: None)
    monkeypatch.setattr(os, "link", refuse)
    create_article(root, "new.md", "one\n")
    with pytest.raises(ArticleExists):
        create_article(root, "new.md", "two\n")
    save_article(root, "new.md", "three\n", read_article(root, "new.md"))
    relocate(root, "new.md", "sub/newer.md")
    create_article(root, "new.md", "four\n")
    with pytest.raises(ArticleExists):
        relocate(root, "new.md", "sub/newer.md")
    assert (root / "sub/newer.md").read_text() == "three\n"
    assert (root / "new.md").read_text() == "four\n"
    assert not [name for name in names_in(root) if name.startswith(".zib")]
