"""`zib memory mcp`, asked by the mcp package's own client and by what is no client at all."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult, TextContent

from tests.cli.conftest import Memory
from vault.setup import prepare
from vault.tools.memory_tools import NO_WIKI
from vault.tools.offer import MEMORY_TOOLS

# Whatever asks for an address or a connection ends the program with a code of its own.
SERVE = """
import os, sys
def no_network(event, arguments):
    if event in {"socket.connect", "socket.getaddrinfo", "socket.bind", "socket.sendto"}:
        os._exit(99)
sys.addaudithook(no_network)
from tui.cli.commands import app
app(["memory", "mcp", "--wiki", sys.argv[1]])
"""


def command(root: Path) -> list[str]:
    return [sys.executable, "-P", "-c", SERVE, str(root)]


def files_of(root: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in root.rglob("*")}


def said(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


async def test_a_client_looks_things_up(tmp_path: Path, home: Path) -> None:
    root = tmp_path / "wiki"
    python, *arguments = command(root)
    parameters = StdioServerParameters(
        command=python, args=arguments, cwd=tmp_path, env=dict(os.environ)
    )
    with tempfile.TemporaryFile("w+") as errors:
        async with Client(stdio_client(parameters, errors)) as client:
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == [tool.name for tool in MEMORY_TOOLS]
            assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
            assert tools[0].input_schema["required"] == ["query"]
            early = await client.call_tool("memory_status", {})
            assert (early.is_error, said(early)) == (True, NO_WIKI)
            assert not root.exists()

            prepare(root)
            (root / "articles/Lens.md").write_text(
                "# Lens\n\nA \x1b[31m red\u202e one.\n" + "x " * 3000
            )
            before = files_of(root)
            found = await client.call_tool("memory_search", {"query": "red"})
            assert not found.is_error
            assert "Lens: A ␛[31m red⟨202E⟩ one." in said(found)
            whole = {"page": "Lens", "force": True}
            for _ in range(3):
                assert len(said(await client.call_tool("memory_read", whole))) > 6000
            wrong = await client.call_tool("memory_write", {"page": "Lens"})
            assert wrong.is_error
            assert files_of(root) == before

            children = psutil.Process().children()
            (server,) = (each for each in children if str(root) in " ".join(each.cmdline()))
            server.send_signal(signal.SIGTERM)
        assert not server.is_running()
        errors.seek(0)
        assert errors.read() == ""


def test_standard_output_has_only_the_protocol(tmp_path: Path, home: Path) -> None:
    messages = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "a test", "version": "1"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    lines = [json.dumps(message).encode() for message in messages]
    finished = subprocess.run(
        command(tmp_path / "wiki"),
        input=b"\n".join([lines[0], b"rubbish", b"\xff\xfe", *lines[1:], b""]),
        capture_output=True,
        cwd=tmp_path,
        check=False,
        timeout=60,
    )
    assert finished.returncode == 0
    answers = [json.loads(line) for line in finished.stdout.splitlines()]
    assert answers[0]["result"]["serverInfo"]["name"] == "zibaldone"
    assert {answer.get("id") for answer in answers} >= {1, 2}


def test_without_the_package_a_sentence_helps(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp_types", None)
    result = memory("mcp")
    assert (result.exit_code, result.stdout) == (1, "")
    assert 'pip install "mcp>=2.3,<3"' in result.stderr
