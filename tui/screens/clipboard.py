"""Sending text to the clipboard, and saying truly what became of it.

The terminal is asked by OSC 52, which it may ignore without a word; on the machine itself the
system's clipboard is set as well, by a process of its own that cannot hold the window up.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Mapping
from typing import Literal

from textual.app import App

from tui.text.sanitise import to_display

Outcome = Literal["copied", "no-tool", "failed", "silent", "remote"]

_SECONDS = 3.0
_MOST_SENT = 100_000
_NO_TOOL = 3
# As a program of its own: clipboard tools write to the terminal, and may block for ever.
_PROGRAM = f"""
import sys
text = sys.stdin.buffer.read().decode()
import pyperclip
try:
    pyperclip.copy(text)
    # Several tools fail without a word.
    sys.exit(0 if pyperclip.paste().split() == text.split() else 1)
except pyperclip.PyperclipException as error:
    sys.exit({_NO_TOOL} if "copy/paste mechanism" in str(error) else 1)
"""


def copy_text(app: App[None], text: str) -> None:
    """Copy, and say what is known of it."""
    shown = to_display(text)
    app.copy_to_clipboard(shown)
    if is_remote(os.environ):
        app.notify(told("remote", len(text)), markup=False)
        return
    app.run_worker(_copy(app, shown, len(text)), group="clipboard", exclusive=True)


def is_remote(environment: Mapping[str, str]) -> bool:
    """Whether the user sits at another machine, whose clipboard only the terminal can reach."""
    return any(environment.get(name) for name in ("SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"))


async def copy_to_system(text: str, seconds: float = _SECONDS) -> Outcome:
    """Set the system's clipboard; whoever does not answer in time is ended."""
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-c",
            _PROGRAM,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return "failed"
    try:
        async with asyncio.timeout(seconds):
            await process.communicate(text.encode())
    except TimeoutError:
        return "silent"
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    if process.returncode == 0:
        return "copied"
    return "no-tool" if process.returncode == _NO_TOOL else "failed"


def told(outcome: Outcome, length: int) -> str:
    """What is said of a text of so many characters."""
    asked = f"The terminal was asked to copy {length:,} characters"
    limit = "; many terminals take no more than 100,000" if length > _MOST_SENT else ""
    match outcome:
        case "copied":
            return f"{length:,} characters copied."
        case "no-tool":
            why = "This machine has no clipboard tool (wl-copy, xclip, xsel)."
        case "silent":
            why = "The system's clipboard did not answer."
        case "failed":
            why = "The system's clipboard refused it."
        case "remote":
            why = "Whether it did cannot be known here; selecting with Shift held always works."
    return f"{asked}{limit}. {why}"


async def _copy(app: App[None], text: str, length: int) -> None:
    app.notify(told(await copy_to_system(text), length), markup=False)
