"""The index says what the files say: built at once, or change by change in any order."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vault.index.index import Index, index_file
from vault.obsidian import Exclusions

HARDEN = os.environ.get("ZIB_HARDEN") == "1"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


@pytest.fixture
def index(root: Path, tmp_path: Path) -> Iterator[Index]:
    made = Index(root, tmp_path / "data" / "i.sqlite")
    yield made
    made.close()


def write(root: Path, pages: dict[str, str]) -> None:
    for path, text in pages.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def contents(index: Index) -> dict[str, list[str]]:
    """All tables, by names instead of row ids; the tables of words by what they find."""
    queries = {
        "pages": "SELECT path, title, size, is_excluded, problem, date, redirect FROM page",
        "names": "SELECT path, kind, name.key, name.text FROM name JOIN page ON page = page.id",
        "links": "SELECT page.path, link.start, line, form, is_embed, target, fragment, label,"
        " state, other.path FROM link JOIN page ON page = page.id"
        " LEFT JOIN page other ON leads_to = other.id",
        "tags": "SELECT path, key, text FROM tag JOIN page ON page = page.id",
        "categories": "SELECT path, key, text FROM category JOIN page ON page = page.id",
        "anchors": "SELECT path, line, level, slug, text FROM anchor JOIN page ON page = page.id",
        "passages": "SELECT path, start, end, line, heading_path, anchor FROM passage"
        " JOIN page ON page = page.id",
        "found": "SELECT path FROM words JOIN page ON page.id = words.rowid WHERE words MATCH"
        " 'alpha OR beta'",
        "grams": "SELECT path FROM grams JOIN page ON page.id = grams.rowid WHERE grams MATCH"
        " '\"中文\"'",
    }
    with index.reading() as connection:
        return {
            name: sorted(map(repr, connection.execute(query))) for name, query in queries.items()
        }


def fresh(root: Path) -> dict[str, list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        made = Index(root, Path(folder) / "i.sqlite")
        made.refresh()
        try:
            return contents(made)
        finally:
            made.close()


def test_a_page_is_found_by_everything_in_it(index: Index, root: Path) -> None:
    write(
        root,
        {
            "a b.md": "---\naliases: [Alpha]\ntags: [x, y/z]\nupdated: 2026-01-02\n---\n# Beta\n\n"
            "alpha #inline [[c#H|l]] 中文字\n\n## Two\n\n`[[no]]`",
            "c.md": "# C\n\n*Redirects to [[a b]].*\n",
        },
    )
    done = index.refresh()
    assert (done.indexed, done.removed, done.failed) == (2, 0, 0)
    found = contents(index)
    assert len(found["links"]) == 2
    assert "'a b.md', 65" in str(found["links"]) or "'c.md'" in str(found["links"])
    for piece in ("'x'", "'y/z'", "'inline'"):
        assert piece in str(found["tags"])
    assert "2026-01-02" in str(found["pages"])
    assert found["found"] == ["('a b.md',)"]
    assert found["grams"] == ["('a b.md',)"]
    counts = index.counts()
    assert (counts.pages, counts.links, counts.wanted, counts.failed) == (2, 2, 0, {})


def test_nothing_is_read_twice(index: Index, root: Path) -> None:
    write(root, {"a.md": "x", "b.md": "y"})
    index.refresh()
    assert index.refresh().indexed == 0
    os.utime(root / "a.md", ns=(5, 5))
    assert index.refresh().indexed == 0, "only its time changed"
    (root / "a.md").write_text("z")
    assert index.refresh().indexed == 1
    assert index.update(["b.md"]).indexed == 0
    (root / "b.md").write_text("w")
    assert index.update(["b.md"]).indexed == 1


def test_a_new_page_answers_links_of_pages_that_did_not_change(index: Index, root: Path) -> None:
    write(root, {"a.md": "[[New page]] [[Alias]]"})
    index.refresh()
    assert index.counts().wanted == 2
    write(root, {"sub/New page.md": "---\naliases: Alias\n---\n"})
    assert index.update(["sub/New page.md"]).indexed == 1
    assert index.counts().wanted == 0
    (root / "sub/New page.md").unlink()
    assert index.update(["sub/New page.md"]).removed == 1
    assert index.counts().wanted == 2


def test_what_cannot_be_read_is_tried_again(index: Index, root: Path) -> None:
    (root / "a.md").write_bytes(b"\x00\x01binary")
    index.refresh()
    assert set(index.counts().failed) == {"a.md"}
    assert index.refresh().failed == 1, "it is tried each time"
    (root / "a.md").write_text("alpha")
    index.refresh()
    assert index.counts().failed == {}


def test_excluded_pages_are_linked_and_not_found(root: Path, tmp_path: Path) -> None:
    write(root, {"T/a.md": "alpha", "b.md": "[[a]] beta"})
    index = Index(root, tmp_path / "i.sqlite", Exclusions(["T/"]))
    index.refresh()
    found = contents(index)
    assert found["found"] == ["('b.md',)"]
    assert index.counts().wanted == 0
    index.close()
    index = Index(root, tmp_path / "i.sqlite")
    index.refresh()
    assert len(contents(index)["found"]) == 2, "exclusions that change are obeyed"
    index.close()


@pytest.mark.parametrize("damage", ["cut", "garbage", "version", "root", "table"])
def test_a_doubtful_index_is_made_anew(root: Path, tmp_path: Path, damage: str) -> None:
    write(root, {f"{number}.md": f"alpha {number}" for number in range(40)})
    file = tmp_path / "i.sqlite"
    index = Index(root, file)
    index.refresh()
    index.close()
    content = file.read_bytes()
    match damage:
        case "cut":
            file.write_bytes(content[: len(content) // 2])
        case "garbage":
            file.write_bytes(b"not a database at all" * 1000)
        case "version":
            connection = apsw.Connection(str(file))
            connection.execute("PRAGMA user_version = 99")
            connection.close()
        case "root":
            connection = apsw.Connection(str(file))
            connection.execute("UPDATE about SET value = '/elsewhere'")
            connection.close()
        case _:
            connection = apsw.Connection(str(file))
            connection.execute("DROP TABLE link")
            connection.close()
    index = Index(root, file)
    index.refresh()
    assert contents(index) == fresh(root)
    index.close()


def test_two_processes_keep_one_index(root: Path, tmp_path: Path) -> None:
    first, second = (Index(root, tmp_path / "i.sqlite") for _ in range(2))
    write(root, {"a.md": "[[b]]"})
    first.refresh()
    write(root, {"b.md": "alpha [[a]]"})
    second.refresh()
    (root / "a.md").unlink()
    first.refresh()
    write(root, {"c.md": "[[b]] beta"})
    second.update(["c.md"])
    assert contents(first) == contents(second) == fresh(root)
    first.close()
    second.close()


def test_the_index_of_a_folder_is_named_by_its_real_path(tmp_path: Path, root: Path) -> None:
    (tmp_path / "alias").symlink_to(root)
    assert index_file(tmp_path, root) == index_file(tmp_path, tmp_path / "alias")
    assert index_file(tmp_path, root) != index_file(tmp_path, tmp_path)
    assert root not in index_file(tmp_path / "data", root).parents


STEMS = ["a", "b", "x y", "C#"]
paths = st.builds("{}{}.md".format, st.sampled_from(["", "s/"]), st.sampled_from(STEMS))
texts = st.lists(
    st.sampled_from(
        [
            "[[a]]",
            "[[s/b]]",
            "[x](b.md)",
            "[[C#]]",
            "[[Alias]]",
            "alpha",
            "beta #tag",
            "中文",
            "\n# x y\n",
            "\n## Part\n",
        ]
    ),
    max_size=5,
).map(" ".join)
fronts = st.sampled_from(["", "---\naliases: [Alias]\n---\n", "---\ntitle: b\n---\n"])
pages = st.tuples(fronts, texts).map("".join)
changes = st.lists(st.tuples(paths, st.none() | pages), min_size=1, max_size=12)


@settings(
    max_examples=400 if HARDEN else 12,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(changes, st.booleans())
def test_any_changes_end_in_what_a_fresh_index_says(
    steps: list[tuple[str, str | None]], is_hinted: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "notes"
        root.mkdir()
        index = Index(root, Path(folder) / "i.sqlite")
        try:
            for path, text in steps:
                if text is None:
                    (root / path).unlink(missing_ok=True)
                else:
                    write(root, {path: text})
                if is_hinted:
                    index.update([path])
                else:
                    index.refresh()
            assert contents(index) == fresh(root)
        finally:
            index.close()
            shutil.rmtree(root)
