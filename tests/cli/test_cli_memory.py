"""`zib memory`: pages are looked at and changed, programs get JSON, mistakes get a sentence."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.cli.conftest import Memory, RunZib
from tui.cli.commands import app


def told(result: Result) -> Any:
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_a_wiki_is_looked_at_and_changed(memory: Memory, wiki: Path) -> None:
    made = told(memory("new", "Old lens", "--text", "See [[Welcome]].", "--json"))
    assert (made["path"], made["outcome"]) == ("articles/Old_lens.md", "created")
    assert git(wiki, "rev-parse", "HEAD").strip() == made["commit"]
    memory("new", "Trip", "--text", "-", stdin="## Bag\n\nThe [[Old lens]].\n\n## Way\n\nby train")

    assert "articles/Trip.md" in memory("list").stdout.splitlines()
    assert [page["title"] for page in told(memory("list", "articles", "--json"))].count("Trip") == 1
    assert memory("toc", "trip").stdout == "Trip\n  Bag\n  Way\n"
    assert memory("section", "trip", "Bag").stdout == "## Bag\n\nThe [[Old lens]].\n\n"
    (link,) = told(memory("links", "trip", "--json"))
    assert (link["path"], link["state"], link["line"]) == ("articles/Old_lens.md", "found", 5)
    (back,) = told(memory("links", "old_lens", "--back", "--json"))
    assert back == {"path": "articles/Trip.md", "line": 5, "context": "The [[Old lens]]."}

    dry = told(memory("rename", "Old lens", "New lens", "--dry-run", "--json"))
    assert dry["moved"] == [["articles/Old_lens.md", "articles/New_lens.md"]]
    assert (wiki / "articles/Old_lens.md").exists()
    done = told(memory("rename", "Old lens", "New lens", "--json"))
    assert (done["moved"], done["edited"]) == (dry["moved"], dry["edited"])
    assert (wiki / "articles/New_lens.md").read_text().startswith("# New lens\n")

    assert memory("edit", "trip", "-s", "Way", "-t", "by foot").exit_code == 0
    assert (wiki / "articles/Trip.md").read_text().endswith("[[New lens]].\n\n## Way\n\nby foot\n")
    told(memory("move", "trip", "Talk", "--json"))
    assert (wiki / "Talk/Trip.md").exists()
    assert memory("delete", "trip").exit_code == 2, "nobody is there to ask"
    assert "kept in the history" in memory("delete", "trip", "--yes").stdout
    status = told(memory("status", "--json"))
    assert (status["kind"], status["uncommitted"], status["problems"]) == ("ours", [], [])
    assert git(wiki, "status", "--porcelain") == ""


def test_a_folder_of_the_users_is_read_until_he_agrees(memory: Memory, tmp_path: Path) -> None:
    root = tmp_path / "wiki"
    (root / ".obsidian").mkdir(parents=True)
    (root / ".obsidian/app.json").write_text('{"userIgnoreFilters": ["Old/"]}')
    (root / "Note.md").write_text("# Note\n")
    (root / "Old").mkdir()
    (root / "Old/x.md").write_text("x")
    before = sorted(path.relative_to(root) for path in root.rglob("*"))
    status = told(memory("status", "--json"))
    assert (status["kind"], status["pages"], status["excluded"]) == ("foreign", 2, 1)
    refused = memory("edit", "Note", "--text", "new")
    assert refused.exit_code == 1
    assert "you have not let zib change it" in refused.stderr
    assert sorted(path.relative_to(root) for path in root.rglob("*")) == before

    assert told(memory("init", "--pages", "My zib", "--json"))["pages_folder"] == "My zib"
    assert memory("edit", "Note", "--text", "new\n").exit_code == 0
    assert memory("new", "Two words").exit_code == 0
    assert (root / "Note.md").read_text() == "new\n"
    assert (root / "Two words.md").exists()
    assert told(memory("status", "--json"))["kind"] == "adopted"
    deleted = memory("delete", "Two words", "-y")
    assert (deleted.exit_code, deleted.stdout) == (
        0,
        "Two words.md is deleted and kept in the history.\n",
    )
    assert not (root / "Two words.md").exists()


def test_a_folder_that_was_moved_keeps_its_history(memory: Memory, tmp_path: Path) -> None:
    root, old = tmp_path / "wiki", tmp_path / "old place"
    old.mkdir()
    (old / "Note.md").write_text("first\n")
    for arguments in (["init"], ["edit", "Note", "--text", "second\n"]):
        made = CliRunner().invoke(app, ["memory", *arguments, "--wiki", str(old)])
        assert made.exit_code == 0
    old.rename(root)
    begun = memory("init")
    assert begun.stdout.splitlines()[1:] == [
        f"Was this folder {old}? Its history goes on with --history-of '{old}'"
    ]
    refused = memory("init", "--history-of", str(tmp_path / "never"))
    assert (refused.exit_code, "No history of a folder" in refused.stderr) == (1, True)
    assert told(memory("init", "--history-of", str(old), "--json"))["histories_that_fit"] == []
    assert memory("edit", "Note", "--text", "third\n").exit_code == 0
    assert len(told(memory("history", "Note", "--json"))) == 3


MISTAKES = {
    "no page": (("read", "Welcom"), "There is no page “Welcom”. Did you mean articles/Welcome.md?"),
    "empty": (("read", " "), "There is no page “”."),
    "a way out": (("read", "../../etc/passwd"), "There is no page"),
    "no section": (("section", "Welcome", "Nowhere"), "has no section “Nowhere”. It has: "),
    "read-only": (("edit", "Using_Zibaldone", "-t", "x"), "cannot be changed: it comes with zib"),
    "taken": (("new", "Welcome"), "There is already an article"),
    "a bad name": (("rename", "Welcome", "a|b"), "cannot be an article name"),
    "a bad folder": (("move", "Welcome", "../x"), "Pages belong in"),
    "no terminal": (("edit", "Welcome"), "no terminal for an editor"),
}


@pytest.mark.parametrize(("arguments", "sentence"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_one_sentence(
    memory: Memory, wiki: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    before = git(wiki, "rev-parse", "HEAD")
    result = memory(*arguments)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert sentence in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert git(wiki, "rev-parse", "HEAD") == before


def test_a_name_of_several_pages_asks_for_a_path(memory: Memory, tmp_path: Path) -> None:
    for path in ("a/X.md", "b/X.md"):
        (tmp_path / "wiki" / path).parent.mkdir(parents=True)
        (tmp_path / "wiki" / path).write_text(path)
    result = memory("read", "X")
    assert result.exit_code == 1
    assert "the name of 2 pages; give a path: a/X.md, b/X.md" in result.stderr
    assert memory("read", "b/X.md").stdout == "b/X.md"


def test_nothing_is_made_by_looking(memory: Memory, tmp_path: Path) -> None:
    result = memory("status")
    assert result.exit_code == 1
    assert "zib memory init" in result.stderr
    assert not (tmp_path / "wiki").exists()


def test_a_pipe_gets_the_bytes_of_the_page(run_zib: RunZib, tmp_path: Path) -> None:
    root = tmp_path / "notes"
    root.mkdir()
    content = b"\xef\xbb\xbf# T\r\n\x1b[31mred\r\rend \xe2\x80\xa8no break"
    (root / "T.md").write_bytes(content)
    environment = {"ZIB_WIKI": str(root)}
    shown = run_zib("memory", "read", "T", environment=environment)
    assert (shown.returncode, shown.stdout, shown.stderr) == (0, content, b"")
    document = json.loads(run_zib("memory", "read", "T", "--json", environment=environment).stdout)
    assert document["text"].startswith("# T\r\n\x1b[31m")
