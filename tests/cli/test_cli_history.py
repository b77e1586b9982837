"""`zib memory history|diff|blame|restore|undo|rollback` and `zib note`, as typed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.cli.conftest import Memory
from tui.cli.commands import app
from vault.vault import open_vault


def told(result: Result) -> Any:
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def note(wiki: Path, *arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(app, ["note", *arguments, "--wiki", str(wiki)], input=stdin)


def test_the_past_of_a_page_is_looked_at_and_brought_back(memory: Memory, wiki: Path) -> None:
    memory("new", "Plan", "--text", "one two\n\n## Way\n\nby train")
    memory("edit", "Plan", "-t", "# Plan\n\none 2\n\n## Way\n\nby \x1b[31mfoot\n")
    memory("rename", "Plan", "Old plan")
    newest, edit, made = told(memory("history", "Old plan", "--json"))
    assert (made["subject"], made["path"]) == ("Create Plan", "articles/Plan.md")
    lines = memory("history", "old plan", "--limit", "2").stdout.splitlines()
    heads = [f"@{at}   {each['commit'][:8]}" for at, each in enumerate((newest, edit))]
    assert [line[:13] for line in lines] == heads
    assert "(was articles/Plan.md)" in lines[1]

    shown = memory("diff", "Old plan", "@2", "@1", "--words").stdout
    assert "-one [-two-]\n+one {+2+}\n" in shown
    assert "\x1b" not in shown
    found = told(memory("diff", "Old plan", made["commit"][:7], "--json"))
    assert (found["added"], found["removed"], found["new"]) == (3, 3, "")
    assert memory("diff", "Welcome").stdout.endswith("now  +0 -0\n")

    blamed = told(memory("blame", "Old plan", "--json"))
    assert [line["commit"] for line in blamed[:3]] == [
        *(newest["commit"], made["commit"], edit["commit"])
    ]
    assert "\x1b" not in memory("blame", "Old plan").stdout

    assert memory("restore", "Old plan", "@2", "--section", "Way").exit_code == 0
    assert (wiki / "articles/Old_plan.md").read_text().endswith("one 2\n\n## Way\n\nby train\n")
    undone = told(memory("undo", "@0", "--json"))
    assert (undone["paths"], undone["clashes"]) == (["articles/Old_plan.md"], [])
    memory("delete", "Old plan", "--yes")
    assert memory("restore", "Old plan", "@1").exit_code == 0
    assert (wiki / "articles/Old_plan.md").exists()


def test_a_deleted_page_is_found_by_its_name_wherever_it_was(memory: Memory, wiki: Path) -> None:
    memory("new", "Short", "--text", "x")
    assert memory("move", "Short", "Meta").exit_code == 0
    assert memory("delete", "Short", "--yes").exit_code == 0
    versions = told(memory("history", "short", "--json"))
    assert [each["subject"] for each in versions] == [
        *("Delete Short", "Move Short to Meta", "Create Short")
    ]
    back = memory("restore", "Short", "@1")
    assert back.stdout == "Meta/Short.md: it is back.\n"
    assert "no page “Shorter”" in memory("history", "Shorter").stderr


def test_what_cannot_be_taken_back_is_told(memory: Memory, wiki: Path) -> None:
    vault = open_vault(wiki)
    for name in ("Welcome", "Zibaldone"):
        file = vault.read(f"articles/{name}.md")
        vault.save(file.path, f"# {name}\n\nby the run\n", file, "synthesis run 3")
    memory("edit", "Welcome", "-t", "# Welcome\n\nmine\n")
    refused = memory("rollback", "3")
    assert refused.exit_code == 1
    assert re.search(r"articles/Welcome\.md in \w{8}: later edits changed", refused.stderr)
    memory("undo", "@0")
    assert len(told(memory("rollback", "synthesis run 3", "--json"))["undone"]) == 2
    for command in (["undo", "main"], ["history", "No such"], ["diff", "Welcome", "@77"]):
        failed = memory(*command)
        assert (failed.exit_code, failed.stdout) == (1, "")
        assert failed.stderr.endswith(".\n")


def test_a_note_is_a_line_of_today(wiki: Path) -> None:
    first = told(note(wiki, "buy", "bread", "--json"))
    assert re.fullmatch(r"- \d\d:\d\d buy bread", first["line"])
    assert first["commit"]
    assert note(wiki, "-", stdin="from\na pipe\n").exit_code == 0
    text = (wiki / first["path"]).read_text()
    assert re.fullmatch(
        r"# \d{4}-\d\d-\d\d\n\n- \d\d:\d\d buy bread\n- \d\d:\d\d from\n  a pipe\n", text
    )
    assert note(wiki, "-", stdin=" \n").exit_code == 2


def test_a_page_begins_from_a_template(memory: Memory, wiki: Path) -> None:
    (wiki / "Meta/Templates").mkdir()
    (wiki / "Meta/Templates/Trip.md").write_text("From {{date:[the] YYYY}}\n\n## Bag\n")
    made = told(memory("new", "To Rome", "--template", "trip", "-t", "A book.", "--json"))
    text = (wiki / made["path"]).read_text()
    assert re.fullmatch(r"# To Rome\n\nFrom the \d{4}\n\n## Bag\n\nA book\.\n", text)
    missing = memory("new", "Other", "--template", "none")
    assert missing.stderr.endswith("in Meta/Templates. There is: Trip.\n")


def test_without_git_the_past_is_a_sentence(
    memory: Memory, wiki: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from vault.history.git import find_git

    monkeypatch.setenv("PATH", str(tmp_path))
    find_git.cache_clear()
    try:
        for command in (["history", "Welcome"], ["blame", "Welcome"], ["undo", "@0"]):
            assert "git is not installed" in memory(*command).stderr
        noted = note(wiki, "still works")
        assert noted.exit_code == 0
        assert "git is not installed" in noted.stderr
    finally:
        find_git.cache_clear()
