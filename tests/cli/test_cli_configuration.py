"""`zib paths`, `zib config`, `zib doctor` and bare `zib`, as a script sees them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import RunZib
from tui.settings.keys import all_keys

ESCAPE = b"\x1b"


def one_line(done: subprocess.CompletedProcess[bytes]) -> str:
    """The only line on standard error."""
    (line,) = done.stderr.decode().splitlines()
    return line


def write_config(home: Path, text: str) -> Path:
    file = home / ".config" / "zibaldone" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_paths_are_all_inside_the_home(run_zib: RunZib, home: Path) -> None:
    done = run_zib("paths", environment={"COLUMNS": "300"})
    assert (done.returncode, done.stderr) == (0, b"")
    assert ESCAPE not in done.stdout
    rows = dict(line.split(maxsplit=1) for line in done.stdout.decode().splitlines())
    assert list(rows) == [
        *("wiki", "settings", "themes", "models", "data", "cache", "state", "runtime")
    ]
    assert all(path.strip().startswith(str(home)) for path in rows.values())
    assert list(home.iterdir()) == []


def test_config_lists_every_key_with_its_source(run_zib: RunZib, home: Path) -> None:
    write_config(home, "[chat]\ntop_p = 0.5\n")
    done = run_zib("config", environment={"COLUMNS": "300"})
    assert (done.returncode, done.stderr) == (0, b"")
    assert ESCAPE not in done.stdout
    lines = done.stdout.decode().splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(all_keys())
    found = {line.split()[0]: line for line in lines}
    assert "0.5" in found["chat.top_p"]
    assert "config.toml" in found["chat.top_p"]
    assert "environment ZIB_BLAS" in found["blas"]
    assert found["theme"].split()[-1] == "default"


@pytest.mark.parametrize(
    "colour", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": "xterm-256color"}]
)
def test_pipes_get_no_colour(run_zib: RunZib, colour: dict[str, str]) -> None:
    assert ESCAPE not in run_zib("config", environment=colour).stdout


@pytest.mark.parametrize(
    ("key", "status", "output", "words"),
    [
        ("theme", 0, b"zibaldone-dark\n", ""),
        ("blas", 0, b"off\n", ""),
        ("chat.top_p", 0, b"auto\n", ""),
        ("chat.tempertaure", 2, b"", "Did you mean chat.temperature?"),
        ("chat", 2, b"", "chat is a table. Its keys: chat.system_prompt"),
        ("[red]\x1b[2J", 2, b"", "There is no setting [red]"),
    ],
)
def test_config_get(run_zib: RunZib, key: str, status: int, output: bytes, words: str) -> None:
    done = run_zib("config", "get", key)
    assert (done.returncode, done.stdout) == (status, output)
    assert words in done.stderr.decode()
    assert ESCAPE not in done.stderr


def test_config_path_creates_a_file_once_and_never_over_one(run_zib: RunZib, home: Path) -> None:
    file = home / ".config" / "zibaldone" / "config.toml"
    shown = f"{file}\n".encode()
    assert run_zib("config", "path").stdout == shown
    assert not file.exists()
    assert run_zib("config", "path", "--create").stdout == shown
    assert file.read_text(encoding="utf-8").lstrip().startswith("#")
    assert run_zib("config", "get", "theme").returncode == 0
    file.write_text("theme = 'mine'\n", encoding="utf-8")
    again = run_zib("config", "path", "--create")
    assert (again.returncode, again.stdout) == (0, shown)
    assert "left as it is" in one_line(again)
    assert file.read_text(encoding="utf-8") == "theme = 'mine'\n"


def test_config_path_in_a_home_that_cannot_be_written(run_zib: RunZib, home: Path) -> None:
    (home / ".config").write_text("a file where a folder should be", encoding="utf-8")
    done = run_zib("config", "path", "--create")
    assert (done.returncode, done.stdout) == (2, b"")
    assert "Cannot make the folder" in one_line(done)


@pytest.mark.parametrize(
    "arguments",
    [("config",), ("config", "get", "theme"), ("paths",), ("doctor",), ("ask", "hi"), ("bench",)],
)
def test_a_broken_settings_file_is_one_sentence(
    run_zib: RunZib, home: Path, arguments: tuple[str, ...]
) -> None:
    file = write_config(home, 'theme = "dark"\na = [\n')
    done = run_zib(*arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert one_line(done).startswith(f"zib: {file}, line 2:")


def test_a_mistyped_variable_is_named(run_zib: RunZib) -> None:
    wrong = {"ZIB_CHAT_TEMPRATURE": "1"}
    sentence = "ZIB_CHAT_TEMPRATURE is set but is no setting. Did you mean ZIB_CHAT_TEMPERATURE?"
    assert sentence in one_line(run_zib("config", environment=wrong))
    assert sentence in one_line(run_zib("ask", "hi", environment=wrong))
    findings = json.loads(run_zib("doctor", "--json", environment=wrong).stdout)
    assert sentence in {finding["fact"] for finding in findings}


def test_doctor_speaks_json(run_zib: RunZib, tiny_model: Path) -> None:
    done = run_zib("doctor", "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    findings = {finding["subject"]: finding for finding in json.loads(done.stdout)}
    assert {"python", "mlx", "textual", "git", "compute", "model", "wiki"} <= findings.keys()
    assert findings["model"]["fact"] == f"{tiny_model.name}: {tiny_model}"
    assert "for a model, bound by" in findings["memory"]["fact"]
    assert "off" in findings["compute"]["fact"]
    assert findings["compute"]["remedy"]


def test_doctor_without_a_model_folder_fails_with_a_remedy(run_zib: RunZib) -> None:
    done = run_zib("doctor", environment={"ZIB_MODEL": "/nonexistent/[red]model"})
    assert done.returncode == 1
    assert "✗ model" in done.stdout.decode()
    assert "There is no folder /nonexistent/[red]model" in done.stdout.decode()
    assert ESCAPE not in done.stdout


@pytest.mark.parametrize("command", ["paths", "doctor", "config"])
def test_letters_the_terminal_cannot_show_crash_nothing(
    run_zib: RunZib, tmp_path: Path, command: str
) -> None:
    home = tmp_path / "größe"
    home.mkdir()
    done = run_zib(command, environment={"HOME": str(home), "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()


@pytest.mark.parametrize("arguments", [(), ("--wiki", "/tmp/x"), ("--model", "/tmp/x")])
@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
def test_without_a_terminal_zib_points_at_ask(
    run_zib: RunZib, arguments: tuple[str, ...], term: str
) -> None:
    done = run_zib(*arguments, environment={"TERM": term})
    assert (done.returncode, done.stdout) == (2, b"")
    assert 'zib ask "QUESTION"' in one_line(done)


@pytest.mark.parametrize(
    "arguments", [("nonsense",), ("--nonsense",), ("ask", "--seed", "x", "hi")]
)
def test_wrong_use_exits_with_2(run_zib: RunZib, arguments: tuple[str, ...]) -> None:
    done = run_zib(*arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Traceback" not in done.stderr
    assert ESCAPE not in done.stderr
