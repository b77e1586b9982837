import os
import socket
from pathlib import Path

import pytest

from vault.errors import ArticleExists, ArticleMissing, NotAllowed, ReadFailed, VaultError
from vault.files import MOST_EDITED_BYTES, create_article, read_article
from vault.new_path import path_for_new


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "notes"
    (root / "inside").mkdir(parents=True)
    (root / "inside/a.md").write_bytes(b"# A\r\n")
    (tmp_path / "outside.md").write_text("secret")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/x.md").write_text("secret")
    return root


def create(root: Path, title: str, folder: str = "", *, keeps_spaces: bool = False) -> str:
    path = path_for_new(root, title, folder, keeps_spaces=keeps_spaces)
    create_article(root, path, "# x\n")
    return path


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_name_may_keep_its_spaces(root: Path) -> None:
    assert create(root, "Camera bag", keeps_spaces=True) == "Camera bag.md"
    with pytest.raises(ArticleExists):
        create(root, "camera_bag", keeps_spaces=True)
    assert create(root, "snake_case", keeps_spaces=True) == "snake_case.md"


def test_an_article_is_read_as_it_is(root: Path) -> None:
    file = read_article(root, "inside/a.md")
    assert (file.path, file.text, file.content) == ("inside/a.md", "# A\r\n", b"# A\r\n")
    assert not file.is_read_only
    assert len(file.sha256) == 64


def test_a_missing_article_is_named(root: Path) -> None:
    with pytest.raises(ArticleMissing, match=r"“inside/b\.md”"):
        read_article(root, "inside/b.md")


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("relative.md", "../outside.md"),
        ("absolute.md", "/etc/passwd"),
        ("root.md", "/"),
        ("dangling.md", "../nothing.md"),
        ("twice.md", "relative2.md"),
        ("loop.md", "loop.md"),
        ("long.md", "inside/../../outside.md"),
        ("proc.md", "/proc/self/environ"),
        ("zero.md", "/dev/zero"),
    ],
)
def test_a_link_out_of_the_vault_is_refused(root: Path, name: str, target: str) -> None:
    (root / "relative2.md").symlink_to("../outside.md")
    (root / name).symlink_to(target)
    with pytest.raises(NotAllowed):
        read_article(root, name)


def test_a_linked_folder_out_of_the_vault_is_refused(root: Path) -> None:
    (root / "away").symlink_to("../elsewhere")
    with pytest.raises(NotAllowed):
        read_article(root, "away/x.md")
    with pytest.raises(NotAllowed):
        create(root, "new", "away")
    assert names_in(root.parent / "elsewhere") == ["x.md"]


@pytest.mark.parametrize("target", ["inside/a.md", "./inside/../inside/a.md", "ABSOLUTE"])
def test_a_link_within_the_vault_is_followed(root: Path, target: str) -> None:
    (root / "link.md").symlink_to(str(root / "inside/a.md") if target == "ABSOLUTE" else target)
    assert read_article(root, "link.md").text == "# A\r\n"


def test_what_is_no_ordinary_file_is_refused_without_hanging(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "folder.md").mkdir()
    os.mkfifo(root / "pipe.md")
    with socket.socket(socket.AF_UNIX) as listener:
        monkeypatch.chdir(root)
        listener.bind("socket.md")
        for name in ("folder.md", "pipe.md", "socket.md"):
            with pytest.raises(ReadFailed):
                read_article(root, name)


@pytest.mark.parametrize(
    ("content", "has_text", "reason"),
    [
        (b"", True, None),
        (b"caf\xe9", True, "it is not UTF-8; convert it to UTF-8 to edit it"),
        (b"\x7fELF\0", False, "it is not a text file"),
        (b"x" * MOST_EDITED_BYTES, True, None),
        (b"x" * (MOST_EDITED_BYTES + 1), False, "it is larger than 5 MB"),
    ],
)
def test_what_cannot_be_edited_says_why(
    root: Path, content: bytes, has_text: bool, reason: str | None
) -> None:
    (root / "x.md").write_bytes(content)
    file = read_article(root, "x.md")
    assert (file.text is not None, file.read_only_reason) == (has_text, reason)


def test_a_huge_sparse_file_is_not_read(root: Path) -> None:
    with (root / "x.md").open("wb") as file:
        file.truncate(10 << 30)
    assert read_article(root, "x.md").read_only_reason == "it is larger than 5 MB"


def test_a_write_protected_file_is_read_only(root: Path) -> None:
    (root / "inside/a.md").chmod(0o444)
    assert read_article(root, "inside/a.md").is_read_only


def test_names_that_are_not_utf8_can_be_read(root: Path) -> None:
    (root / os.fsdecode(b"caf\xe9.md")).write_text("x")
    assert read_article(root, os.fsdecode(b"caf\xe9.md")).text == "x"


def test_a_new_article_has_the_mode_of_any_file(root: Path) -> None:
    path = create(root, "Camera bag", "articles")
    assert path == "articles/Camera_bag.md"
    assert (root / path).read_bytes() == b"# x\n"
    assert oct((root / path).stat().st_mode & 0o777) == oct(0o666 & ~_umask())


def test_a_folder_is_spelled_as_the_disk_has_it(root: Path) -> None:
    (root / "E\u0301t\u00e9").mkdir()
    assert create(root, "x", "\u00e9te\u0301/New") == "E\u0301t\u00e9/New/x.md"
    (root / "odd#.").mkdir()
    assert create(root, "x", "odd#.") == "odd#./x.md"


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize("title", ["a", "A", " a.md", "é", "e\u0301", "É"])
def test_a_name_that_is_taken_in_any_spelling_is_refused(root: Path, title: str) -> None:
    (root / "inside/e\u0301.md").write_text("decomposed")
    before = names_in(root / "inside")
    with pytest.raises(ArticleExists):
        create(root, title, "inside")
    assert names_in(root / "inside") == before


@pytest.mark.parametrize("title", ["../x", "a/b", ".git", "CON", "C:x"])
@pytest.mark.parametrize("folder", ["", "inside"])
def test_a_bad_name_creates_nothing(root: Path, title: str, folder: str) -> None:
    with pytest.raises(NotAllowed):
        create(root, title, folder)
    assert names_in(root) == ["inside"]


@pytest.mark.parametrize(
    "folder",
    ["a|b", "a#b", "CON", "x.", "inside/[x]", "../up", "/abs", ".git", ".git/hooks", "a/../b"],
)
def test_a_bad_folder_creates_nothing(root: Path, folder: str) -> None:
    with pytest.raises(VaultError):
        create(root, "x", folder)
    assert names_in(root) == ["inside"]
