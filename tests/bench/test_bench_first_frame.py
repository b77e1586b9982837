"""First frame of real programs in a real pseudo-terminal."""

import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from engine.config import EngineConfig
from tui.bench import BenchContext, BenchFault
from tui.bench.first_frame import bench_first_frame, isolated_environment

SAMPLE = """
import os, pathlib, sys
from textual.app import App
from textual.widgets import Input, Static

class Sample(App):
    TITLE = "Zibaldone"
    BINDINGS = [("ctrl+q", "leave", "Leave")]

    def compose(self):
        yield Static("Zibaldone")
        yield Input(placeholder="Ask anything.")

    def on_mount(self):
        size = os.get_terminal_size()
        pathlib.Path("seen.txt").write_text(f"{size.columns}x{size.lines} {os.getpid()}")
        # Fails without a controlling terminal.
        os.close(os.open("/dev/tty", os.O_RDWR))

    def action_leave(self):
        if LEAVES:
            self.exit()

Sample().run()
"""
Lines = list[str]


def _silent(_: str) -> None:
    """A report nobody reads."""


@pytest.fixture
def make_context(tmp_path: Path) -> Callable[..., BenchContext]:
    def make(source: str, rounds: int = 1) -> BenchContext:
        # The working folder is a new one, so the path it leaves behind must be known.
        file = tmp_path / "sample.py"
        file.write_text(source.replace('"seen.txt"', repr(str(tmp_path / "seen.txt"))))
        engine = EngineConfig(cache_dir=str(tmp_path / "cache"))
        return BenchContext(tmp_path, engine, (sys.executable, str(file)), rounds)

    return make


async def test_every_start_is_timed_and_quits(
    make_context: Callable[..., BenchContext], tmp_path: Path
) -> None:
    lines: Lines = []
    context = make_context(SAMPLE.replace("LEAVES", "True"), rounds=2)
    (figure,) = await bench_first_frame(context, lines.append)
    assert len(figure.runs) == 2
    assert all(0 < seconds < 30 for seconds in figure.runs)
    assert (figure.unit, figure.target.bound, figure.target.direction) == ("s", 0.5, "at most")
    assert figure.note == ""
    assert len(lines) == 2
    size, pid = (tmp_path / "seen.txt").read_text().split()
    assert size == "120x40"
    assert not psutil.pid_exists(int(pid))


async def test_a_program_that_stays_is_killed_and_named(
    make_context: Callable[..., BenchContext], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.bench.first_frame.QUIT_LIMIT_SECONDS", 0.3)
    lines: Lines = []
    context = make_context(SAMPLE.replace("LEAVES", "False"))
    (figure,) = await bench_first_frame(context, lines.append)
    assert figure.note == "1 of 1 starts had to be killed afterwards"
    assert "killed" in lines[0]
    _, pid = (tmp_path / "seen.txt").read_text().split()
    assert not psutil.pid_exists(int(pid))


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("raise SystemExit('The settings are broken.')", "The settings are broken."),
        ("import os; os._exit(3)", "it said nothing"),
        ("print('\\x1b[?1049hno luck')", "no luck"),
    ],
)
async def test_a_program_that_ends_early_is_a_fault(
    make_context: Callable[..., BenchContext], source: str, reason: str
) -> None:
    with pytest.raises(BenchFault, match="ended before its first frame") as raised:
        await bench_first_frame(make_context(source), _silent)
    assert reason in str(raised.value)


async def test_a_program_that_never_paints_is_a_fault(
    make_context: Callable[..., BenchContext], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.bench.first_frame.PAINT_LIMIT_SECONDS", 1.0)
    source = (
        "import os, pathlib, time\n"
        'pathlib.Path("seen.txt").write_text(str(os.getpid()))\n'
        "time.sleep(600)\n"
    )
    with pytest.raises(BenchFault, match="No frame with Zibaldone and Ask anything"):
        await bench_first_frame(make_context(source), _silent)
    assert not psutil.pid_exists(int((tmp_path / "seen.txt").read_text()))


async def test_the_app_itself_paints_the_marks(tmp_path: Path) -> None:
    """The frame we wait for is the app's, so a renamed title or placeholder shows here."""
    context = BenchContext(tmp_path, EngineConfig(cache_dir=str(tmp_path / "cache")), rounds=1)
    (figure,) = await bench_first_frame(context, _silent)
    assert len(figure.runs) == 1
    assert figure.note == ""


def test_nothing_of_the_user_reaches_the_app(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ZIB_WIKI", "ZIB_BLAS", "GIT_DIR", "NO_COLOR", "TEXTUAL_LOG", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, "/mine")
    environment = isolated_environment(tmp_path, Path("/models/one"))
    assert environment["ZIB_MODEL"] == "/models/one"
    assert environment["HOME"] == str(tmp_path)
    assert "/mine" not in environment.values()
    folders = [Path(value) for name, value in environment.items() if name.startswith("XDG_")]
    assert len(folders) == 5
    for folder in folders:
        assert folder.is_relative_to(tmp_path)
        assert folder.stat().st_mode & 0o777 == 0o700
