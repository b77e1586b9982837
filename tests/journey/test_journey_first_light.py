"""A user's first half hour, in a real terminal with the real model."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.journey.conftest import OpenSession

pytestmark = [pytest.mark.model, pytest.mark.xdist_group("model")]


def git(wiki: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(wiki), *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout


async def test_ask_stop_ask_again_edit_and_see_the_commit(open_zib: OpenSession) -> None:
    zib = await open_zib()
    await zib.see(lambda text: "Ask anything" in text, "the prompt")
    # Without the gauge the lines under the answers are not broken.
    zib.press("/gauge", "enter")
    zib.press("What is the capital of France?", "enter")
    await zib.see(lambda text: "Paris" in text and "tok/s · first" in text, "an answer")

    zib.press("Tell me a very long story about the sea.", "enter")
    await zib.see(
        lambda text: re.search(r"story|sea|once|Once", text.split("the sea.")[-1]), "words"
    )
    zib.press("escape")
    await zib.see(lambda text: "stopped ·" in text, "the stop")

    zib.press("And what is the capital of Italy?", "enter")
    text = await zib.see(lambda text: text.count("tok/s · first") >= 2 and "Rome" in text, "Rome")
    reused = [int(number.replace(",", "")) for number in re.findall(r"([\d,]+) reused", text)]
    assert reused[-1] > 40

    await zib.see(lambda text: "articles/Welcome.md" in text, "the first page")
    zib.press("f4")
    await zib.see(lambda text: "Welcome.md ✎" in text, "the editor")
    zib.press("ctrl+end", "enter", "The capital of France is Paris.", "ctrl+s")
    await zib.see(lambda text: "Saved. Commit" in text, "the commit")
    assert git(zib.wiki, "log", "-1", "--format=%s").strip() == "Edit Welcome"
    assert "The capital of France is Paris." in git(zib.wiki, "show", "HEAD")
    assert git(zib.wiki, "status", "--porcelain") == ""

    family = zib.family()
    zib.press("ctrl+q")
    assert await zib.program.ends_within(10)
    assert not [process for process in family if process.is_running()]
    ending = zib.program.recording.output[-400:]
    assert b"\x1b[?1049l" in ending
    assert b"\x1b[?1000l" in ending


async def test_typing_is_seen_while_the_model_loads(open_zib: OpenSession) -> None:
    zib = await open_zib()
    await zib.see(lambda text: "Ask anything" in text, "the prompt", 30)
    zib.press("early words")
    text = await zib.see(lambda text: "early words" in text, "what was typed", 30)
    assert "loading" in text or "starting" in text or "openblas" in text or "SmolLM2" in text


def ask(model: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "tui", "ask", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "ZIB_MODEL": str(model)},
    )


def test_ask_prints_the_answer_alone(builtin_model: Path) -> None:
    done = ask(builtin_model, "--temperature", "0", "What is the capital of France?")
    assert done.returncode == 0
    assert "Paris" in done.stdout
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


def test_ask_reads_a_pipe_and_writes_json(builtin_model: Path) -> None:
    arguments = ("--json", "--temperature", "0", "--max-tokens", "8", "-")
    done = ask(builtin_model, *arguments, stdin="Name a colour.\n")
    assert done.returncode == 0
    document = json.loads(done.stdout)
    assert document["question"] == "Name a colour."
    assert document["finish_reason"] in {"stop", "length"}
    assert document["usage"]["prompt_tokens"] > 5


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        ((), 2, "There is no question"),
        (("--temperature", "99", "hi"), 2, "temperature"),
        (("--model", "/nonexistent/model", "hi"), 1, "There is no folder"),
        (("--max-tokens", "0", "hi"), 2, "max_tokens"),
    ],
)
def test_ask_refuses_in_one_sentence(
    builtin_model: Path, arguments: tuple[str, ...], status: int, words: str
) -> None:
    done = ask(builtin_model, *arguments)
    assert done.returncode == status
    assert done.stdout == ""
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
