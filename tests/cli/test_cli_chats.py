"""`zib chats` for people and for programs, and questions that go on with a stored chat."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from signal import SIGINT
from subprocess import PIPE, Popen
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.cli.conftest import COMMAND, RunZib
from tui.cli.commands import app
from tui.paths import find_paths
from vault.conversations.store import conversations_file, open_conversations
from vault.conversations.values import Draft

Chats = Callable[..., Result]


@pytest.fixture
def chats(home: Path) -> Chats:
    """Runs a command in this process, with two chats in the store."""
    with open_conversations(find_paths().data_dir) as store:
        lens = store.chats.create(title="Old lens").id
        store.messages.add(lens, Draft("user", "How is a \x1b[31mlens cleaned?"))
        store.messages.add(lens, Draft("assistant", "With a soft cloth.", thinking="Hm."))
        bread = store.chats.create().id
        store.messages.add(bread, Draft("user", "A poem about bread"))

    def run(*arguments: str, stdin: str = "") -> Result:
        return CliRunner().invoke(app, ["chats", *arguments], input=stdin)

    return run


def told(result: Result) -> Any:
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_chats_are_listed_and_shown(chats: Chats) -> None:
    lines = chats("list").stdout.splitlines()
    assert [line[35:] for line in lines] == ["A poem about bread", "Old lens"]
    listed = told(chats("list", "--json"))
    assert [chat["name"] for chat in listed] == ["A poem about bread", "Old lens"]
    shown = chats("show", "lens").stdout
    assert shown.startswith("# Old lens\n")
    assert "With a soft cloth." in shown
    assert "Hm." not in shown
    assert "> Hm." in chats("show", "OLD LENS", "--thinking").stdout
    told_whole = told(chats("show", listed[1]["short_id"], "--json"))
    assert [each["text"] for each in told_whole["messages"]][1] == "With a soft cloth."
    assert told_whole["citation"] == f"conv:{listed[1]['short_id']}"
    first = told_whole["messages"][0]["id"]
    cited = told(chats("show", f"conv:{first[:8]}", "--json"))
    assert cited["leaf"] == first


def test_a_name_that_means_none_or_several_is_said_so(chats: Chats) -> None:
    for number in range(2):
        with open_conversations(find_paths().data_dir) as store:
            store.chats.create(title=f"Lens {number}")
    several = chats("show", "lens")
    assert (several.exit_code, several.stdout) == (1, "")
    assert "is the name of 3 chats" in several.stderr
    assert chats("show", "lens 1").exit_code == 0
    none = chats("rename", "Old lans", "x")
    assert none.exit_code == 1
    assert "Did you mean “Old lens”" in none.stderr


def test_messages_are_searched(chats: Chats) -> None:
    found = chats("search", "soft", "role:assistant")
    assert found.exit_code == 0
    first, second = found.stdout.splitlines()
    assert first.startswith("Old lens  conv:")
    assert second == "  With a soft cloth."
    (hit,) = told(chats("search", "soft", "--json"))["hits"]
    assert hit["places"] == [[7, 11]]
    assert "\x1b" not in chats("search", "cleaned").stdout
    missing = chats("search", "soft", "-cloth")
    assert (missing.exit_code, missing.stdout) == (1, "")
    assert "Nothing was found." in missing.stderr


def test_chats_are_changed_deleted_and_had_back(chats: Chats) -> None:
    assert told(chats("rename", "bread", "Bread", "poem", "--json"))["title"] == "Bread poem"
    assert told(chats("pin", "bread", "--json"))["is_pinned"]
    assert told(chats("tag", "bread", "food", "#fun", "--json"))["tags"] == ["food", "fun"]
    assert "Bread poem" in chats("list", "--tag", "FOOD").stdout
    assert chats("list").stdout.splitlines()[0][9] == "*"
    assert not told(chats("pin", "bread", "--off", "--json"))["is_pinned"]
    assert "in the trash" in chats("delete", "bread", "lens").stdout
    assert chats("list").stdout == ""
    assert len(told(chats("list", "--trash", "--json"))) == 2
    assert "is back" in chats("restore", "lens").stdout
    unsure = chats("purge")
    assert unsure.exit_code == 2
    assert "--yes" in unsure.stderr
    assert len(told(chats("purge", "--yes", "--json"))["purged"]) == 1
    facts = told(chats("info", "--json"))
    assert (facts["chats"], facts["messages"], facts["in_trash"]) == (1, 2, 0)
    assert facts["file"] == str(conversations_file(find_paths().data_dir))


def test_exports_round_trip_and_overwrite_nothing(chats: Chats, tmp_path: Path) -> None:
    file = tmp_path / "all.json"
    assert chats("export", "--to", str(file)).exit_code == 0
    before = told(chats("export", "--format", "json"))
    assert json.loads(file.read_bytes()) == before
    again = chats("export", "--to", str(file))
    assert again.exit_code == 1
    assert "--force" in again.stderr
    assert chats("export", "--to", str(file), "--force").exit_code == 0
    chats("delete", "lens")
    chats("delete", "bread")
    kept = chats("import", str(file))
    assert "it is in the trash" in kept.stderr
    chats("purge", "--yes")
    assert "2 chats added" in chats("import", str(file)).stdout
    assert "2 known already" in chats("import", str(file)).stdout
    assert told(chats("export", "--format", "json")) == before
    folder = tmp_path / "out"
    folder.mkdir()
    assert chats("export", "--to", str(folder)).exit_code == 0
    assert {path.suffix for path in folder.iterdir()} == {".md"}
    assert len(list(folder.iterdir())) == 2
    assert chats("export", "lens", "--format", "pdf").exit_code == 2
    refused = chats("import", str(tmp_path / "nowhere.json"))
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "There is no file" in refused.stderr


def test_a_damaged_file_is_told_of_and_the_command_still_done(chats: Chats) -> None:
    file = conversations_file(find_paths().data_dir)
    file.write_bytes(b"\0" * 20 + file.read_bytes()[20:])
    listed = chats("list")
    assert listed.exit_code == 0
    assert len(listed.stdout.splitlines()) == 2
    assert "was damaged" in listed.stderr
    assert chats("list").stderr == ""
    (aside,) = told(chats("info", "--json"))["set_aside"]
    assert Path(aside).exists()


def test_a_question_to_no_chat_is_refused_before_a_model_is_loaded(chats: Chats) -> None:
    refused = CliRunner().invoke(app, ["ask", "--chat", "nowhere", "hi"])
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "There is no chat “nowhere”" in refused.stderr


def test_a_question_goes_on_with_a_chat_and_what_was_said_is_kept(
    run_zib: RunZib, zib_environment: dict[str, str]
) -> None:
    options = ("--temp", "0", "--json", "--chat", "new", "--system", "Be.")
    first = json.loads(run_zib("ask", *options, "hi").stdout)
    environment = {**zib_environment, "ZIB_CHAT_MAX_TOKENS": "100000"}
    command = [*COMMAND, "ask", "--chat", first["chat"][:8], "go on for ever"]
    asking = Popen(command, stdout=PIPE, stderr=PIPE, env=environment)
    assert asking.stdout is not None
    said = asking.stdout.read(40)
    asking.send_signal(SIGINT)
    rest, _ = asking.communicate(timeout=60)
    assert asking.returncode == 130
    with open_conversations(find_paths().data_dir) as store:
        (chat,) = store.chats.listed()
        path = store.messages.tree(chat.id).path()
    assert (chat.id, chat.options.system_prompt) == (first["chat"], "Be.")
    assert [node.text for node in path[:3]] == ["hi", first["answer"], "go on for ever"]
    assert [node.state for node in path] == ["complete", "cut", "complete", "stopped"]
    usage = path[1].extras.usage
    assert usage is not None
    assert usage.generated == 24
    assert path[3].text.encode().startswith(said)
    assert len(path[3].text.encode()) >= len(said + rest.rstrip(b"\n"))
