"""`zib ask` among pipes, old locales and impatient readers; a tiny model says nonsense."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from pathlib import Path

import psutil
import pytest
from typer.testing import CliRunner

from tests.cli.conftest import COMMAND, RunZib
from tui.cli.commands import app

LONG = {"ZIB_CHAT_MAX_TOKENS": "400"}


def test_the_answer_alone_is_on_standard_output(run_zib: RunZib) -> None:
    first = run_zib("ask", "--temperature", "0", "which lens?")
    assert (first.returncode, first.stderr) == (0, b"")
    assert first.stdout.endswith(b"\n")
    assert len(first.stdout) > 1
    assert run_zib("ask", "--temperature", "0", "which", "lens?").stdout == first.stdout


def test_another_seed_is_another_answer(run_zib: RunZib) -> None:
    assert run_zib("ask", "--seed", "3", "hi").stdout != run_zib("ask", "--seed", "4", "hi").stdout


def test_the_options_of_sampling_reach_the_engine(run_zib: RunZib) -> None:
    likeliest = run_zib("ask", "--temp", "0", "hi").stdout.decode().rstrip("\n")
    word = likeliest[3:6]
    options = ("--temp", "1.5", "--seed", "3", "--top-k", "1", "--stop", "nowhere", "--stop", word)
    stopped = run_zib("ask", *options, "hi").stdout.decode().rstrip("\n")
    assert stopped == likeliest.partition(word)[0].rstrip("\n")


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (("--temp", "-1"), "chat.temperature must be a number from 0 to 5"),
        (("--top-p", "2"), "chat.top_p must be a number above 0 and at most 1"),
        (("--top-k", "-3"), "chat.top_k must be a whole number from 0"),
        (("--min-p", "1.5"), "chat.min_p must be a number from 0 to 1"),
        (("--seed", "-1"), "chat.seed must be a whole number from 0"),
        (("--stop", ""), "chat.stop must be a list of at most 64 texts"),
        (("--max-tokens", "0"), "chat.max_tokens must be a whole number from 1"),
    ],
)
def test_a_wrong_option_is_told_with_its_range(
    home: Path, option: tuple[str, str], words: str
) -> None:
    done = CliRunner().invoke(app, ["ask", *option, "hi"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert words in done.stderr


def test_arguments_and_pipe_are_joined_and_json_tells_what_was_asked(run_zib: RunZib) -> None:
    done = run_zib("ask", "--json", "--seed", "3", "größe?", stdin="記憶\n".encode())
    assert (done.returncode, done.stderr) == (0, b"")
    document = json.loads(done.stdout)
    assert document["question"] == "größe?\n\n記憶"
    assert document["answer"]
    assert document["finish_reason"] in {"stop", "length"}
    assert document["usage"]["generated_tokens"] <= 24
    assert document["model"] == "tiny-llama"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "old",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    ],
    ids=["ascii", "C"],
)
def test_an_old_locale_crashes_nothing(run_zib: RunZib, old: dict[str, str]) -> None:
    document = run_zib("ask", "--json", "--seed", "3", "größe 記憶", environment=old)
    answer = json.loads(document.stdout)["answer"]
    assert not answer.isascii()
    done = run_zib("ask", "--seed", "3", "größe 記憶", environment=old)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == answer.encode("ascii", "replace") + b"\n"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("arguments", "stdin", "status", "words"),
    [
        ((), b"", 2, "There is no question"),
        (("-",), b" \n", 2, "There is no question"),
        (("-",), b"\xff\xfe", 2, "not UTF-8"),
        ((b"a\xffb",), b"", 2, "not UTF-8"),
        (("--temperature", "nan", "hi"), b"", 2, "temperature"),
        (("--temperature", "-1", "hi"), b"", 2, "temperature"),
        (("--max-tokens", "0", "hi"), b"", 2, "max_tokens"),
        (("--model", "~nobody-here/x", "hi"), b"", 1, "nobody-here"),
        (("--model", "/dev/null", "hi"), b"", 1, "give the folder that holds config.json"),
        (("word " * 2000,), b"", 1, "context"),
    ],
)
def test_refusals_are_one_sentence(
    run_zib: RunZib,
    arguments: tuple[str | bytes, ...],
    stdin: bytes,
    status: int,
    words: str,
) -> None:
    done = run_zib("ask", *arguments, stdin=stdin)
    assert done.returncode == status
    assert done.stdout == b""
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith("zib: ")
    assert words in line


def test_a_reader_that_leaves_ends_it_quietly(
    zib_environment: dict[str, str], tmp_path: Path
) -> None:
    process = subprocess.Popen(
        [*COMMAND, "ask", "hi"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=zib_environment | LONG,
        cwd=tmp_path,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    os.read(process.stdout.fileno(), 1)
    process.stdout.close()
    assert process.wait(60) == 0
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.parametrize("arguments", [("ask", "hi"), ("config",)])
def test_a_full_disk_is_one_sentence(
    zib_environment: dict[str, str], arguments: tuple[str, ...]
) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("only Linux has /dev/full")
    with full.open("wb") as output:
        done = subprocess.run(
            [*COMMAND, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.PIPE,
            env=zib_environment,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == b"zib: The output could not be written: No space left on device.\n"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("closing", "status", "is_said"), [("<&-", 0, True), (">&-", 0, False), ("2>&-", 0, True)]
)
def test_closed_streams_crash_nothing(
    zib_environment: dict[str, str], closing: str, status: int, is_said: bool
) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closing}', "sh", *COMMAND, "ask", "hi"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=zib_environment,
        check=False,
    )
    assert (done.returncode, done.stderr) == (status, b"")
    assert bool(done.stdout) is is_said


async def test_an_interrupt_ends_it_and_its_engine(
    zib_environment: dict[str, str], tmp_path: Path
) -> None:
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        *("ask", "hi"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=zib_environment | LONG,
        cwd=tmp_path,
    )
    family: list[psutil.Process] = []
    async with asyncio.timeout(60):
        while not family:
            await asyncio.sleep(0.02)
            family = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        _, errors = await process.communicate()
    assert (process.returncode, errors) == (130, b"")
    _, alive = await asyncio.to_thread(psutil.wait_procs, family, 2.0)
    assert alive == []


def test_more_than_any_context_window_is_refused(run_zib: RunZib) -> None:
    done = run_zib("ask", "hi", stdin=b"x" * (5 * 1024**2))
    assert done.returncode == 2
    assert b"MiB were piped in" in done.stderr


def test_what_the_wiki_says_is_read_first(run_zib: RunZib, tmp_path: Path) -> None:
    wiki = tmp_path / "notes"
    wiki.mkdir()
    (wiki / "Sourdough.md").write_text("# Sourdough\n\nThe starter is called Bubbles.\n")
    asked = ("ask", "--json", "--wiki", str(wiki), "--max-tokens", "4")
    room = {"ZIB_CHAT_RECALL_TOKENS": "400"}
    done = run_zib(*asked, "What is my sourdough starter called?", environment=room)
    assert b"zib: recalled: Sourdough (" in done.stderr
    (source,) = json.loads(done.stdout)["recalled"]
    assert (source["path"], source["title"]) == ("Sourdough.md", "Sourdough")
    nothing = run_zib(*asked, "--memory", "What is the capital of France?")
    assert nothing.stderr.endswith(b"zib: recalled: nothing in the wiki is about this\n")
