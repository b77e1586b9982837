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
from typing import NamedTuple

import pyte
import pytest

APP = Path(__file__).with_name("hostile_app.py")
ROWS, COLUMNS = 300, 150
QUIET_SECONDS = 2.0

# What drawing takes: attributes and true colours, never one of the eight colours; cursor moves.
ATTRIBUTE = r"(?:\d|[34]8;2;\d+;\d+;\d+)"
DRAWING = re.compile(rf"\x1b\[{ATTRIBUTE}(?:;{ATTRIBUTE})*m|\x1b\[\d+;\d+H|\r")
# One token each: a string sequence to its end, a CSI, another escape, a lone control character.
TOKEN = re.compile(
    r"\x1b[\]PX^_].*?(?:\x07|\x1b\\|\x9c|$)|\x1b\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|\x1b.?"
    r"|[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff]",
    re.DOTALL,
)


class Run(NamedTuple):
    """What an app wrote: up to the moment it had drawn everything, and to its end."""

    drawn: str
    whole: str


def run_on_terminal(mode: str) -> Run:
    """Run the app until it has said READY and is quiet, then end it."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    environ = os.environ | {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
    for name in ("NO_COLOR", "COLUMNS", "LINES"):
        environ.pop(name, None)
    process = subprocess.Popen(
        [sys.executable, str(APP), mode], stdin=slave, stdout=slave, stderr=slave, env=environ,
        start_new_session=True,
    )  # fmt: skip
    os.close(slave)
    output, drawn = b"", b""
    try:
        while True:
            is_ready = b"READY" in output and not drawn
            if not select.select([master], [], [], QUIET_SECONDS if is_ready else 60)[0]:
                if not is_ready:
                    break
                drawn = output
                os.write(master, b"q")
                continue
            try:
                piece = os.read(master, 65536)
            except OSError:
                break
            if not piece:
                break
            output += piece
        assert process.wait(timeout=30) == 0, output[-2000:]
    finally:
        process.kill()
        process.wait()
        os.close(master)
    return Run(drawn.decode("utf-8"), output.decode("utf-8"))


def commands(run: Run) -> Counter[str]:
    """Everything sent that is not drawing, with how often."""
    return Counter(token for token in TOKEN.findall(run.whole) if not DRAWING.fullmatch(token))


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
    screen = pyte.Screen(COLUMNS, ROWS)
    pyte.Stream(screen).feed(run_on_terminal("sanitised").drawn)
    shown = "\n".join(screen.display)
    for text in ("␛[31mRED", "␛]0;title␇", "safe␈␈␈␈evil", "rm -rf␍safe", "⟨202E⟩gnp.md⟨202C⟩"):
        assert text in shown
    for text in ("[red]x[/red]", "notes [draft].md", "[@click=app.quit]press[/]", "C:\\[x]"):
        assert text in shown
    # pyte reads the pointer shape that Textual sets as a title.
    assert screen.title in {"", ";default"}
