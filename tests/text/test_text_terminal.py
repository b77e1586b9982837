"""On a real pseudo-terminal, hostile text makes no widget send an escape sequence of its own."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
from collections import Counter
from pathlib import Path

import pyte
import pytest

APP = Path(__file__).with_name("hostile_app.py")
ROWS, COLUMNS = 300, 150

# What drawing takes: attributes and true colours, never one of the eight colours; cursor moves.
ATTRIBUTE = r"(?:\d|[34]8;2;\d+;\d+;\d+)"
DRAWING = re.compile(rf"\x1b\[{ATTRIBUTE}(?:;{ATTRIBUTE})*m|\x1b\[\d+;\d+H|\r")
# One token each: a string sequence to its end, a CSI, another escape, a lone control character.
TOKEN = re.compile(
    r"\x1b[\]PX^_].*?(?:\x07|\x1b\\|\x9c|$)|\x1b\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|\x1b.?"
    r"|[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff]",
    re.DOTALL,
)


def run_on_terminal(mode: str) -> str:
    """Everything the app writes from start to end."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    environ = os.environ | {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
    environ.pop("NO_COLOR", None)
    process = subprocess.Popen(
        [sys.executable, str(APP), mode], stdin=slave, stdout=slave, stderr=slave, env=environ,
        start_new_session=True,
    )  # fmt: skip
    os.close(slave)
    output = b""
    try:
        while select.select([master], [], [], 60)[0]:
            try:
                piece = os.read(master, 65536)
            except OSError:
                break
            if not piece:
                break
            if b"READY" in piece and b"READY" not in output:
                os.write(master, b"q")
            output += piece
        assert process.wait(timeout=30) == 0, output[-2000:]
    finally:
        process.kill()
        process.wait()
        os.close(master)
    return output.decode("utf-8")


def commands(output: str) -> Counter[str]:
    """Everything sent that is not drawing, with how often."""
    return Counter(token for token in TOKEN.findall(output) if not DRAWING.fullmatch(token))


@pytest.fixture(scope="module")
def own_commands() -> Counter[str]:
    """What Textual sends by itself to set the terminal up and put it back."""
    found = commands(run_on_terminal("plain"))
    assert all(re.match(r"\x1b\[[?<>]|\x1b\]22;", token) for token in found)
    return found


@pytest.mark.parametrize("mode", ["sanitised", "raw"])
def test_the_terminal_gets_no_command_that_is_not_textual_s(
    mode: str, own_commands: Counter[str]
) -> None:
    assert commands(run_on_terminal(mode)) - own_commands == Counter()


def test_without_sanitiser_and_gate_this_test_sees_the_commands(
    own_commands: Counter[str],
) -> None:
    leaked = commands(run_on_terminal("open")) - own_commands
    expected = {"\x1b[31m", "\x1b[2J", "\x1b[?1049l", "\x1b[6n", "\x1bc", "\x9b", "\u202e", "\x7f"}
    assert expected <= leaked.keys()
    assert any(token.startswith("\x1b]52;") for token in leaked)


def test_a_terminal_shows_the_sequences_as_text() -> None:
    output = run_on_terminal("sanitised")
    screen = pyte.Screen(COLUMNS, ROWS)
    pyte.Stream(screen).feed(output[: output.rindex("READY") + 5])
    shown = "\n".join(screen.display)
    for text in ("␛[31mRED", "␛]0;title␇", "safe␈␈␈␈evil", "rm -rf␍safe", "⟨202E⟩gnp.md⟨202C⟩"):
        assert text in shown
    for text in ("[red]x[/red]", "notes [draft].md", "[@click=app.quit]press[/]", "C:\\[x]"):
        assert text in shown
    # pyte reads the pointer shape that Textual sets as a title.
    assert screen.title in {"", ";default"}
