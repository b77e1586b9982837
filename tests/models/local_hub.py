"""A model hub on this machine: the few endpoints a download needs, and every way they may fail.

Small files come from the hub itself, large ones from a second server, as on the real one.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

from tests.models.model_folders import COMMIT

REPOSITORY = "org/name"


@dataclass
class Fault:
    """What goes wrong with the next requests of one file. `times` -1: with all of them."""

    kind: str
    times: int = 1
    after: int = 0


@dataclass
class Request:
    """What a server was asked."""

    path: str
    byte_range: str
    authorization: str


@dataclass
class LocalHub:
    """The files of one repository by name; those of `large` are stored elsewhere."""

    files: dict[str, bytes]
    large: frozenset[str]
    endpoint: str = ""
    storage: str = ""
    faults: dict[str, Fault] = field(default_factory=dict)
    listing_fault: str = ""
    is_gated: bool = False
    token: str = ""
    changed: dict[str, Any] = field(default_factory=dict)
    """Replaces what the listing says of a file."""
    requests: list[Request] = field(default_factory=list)
    may_go_on: threading.Event = field(default_factory=threading.Event)
    is_stuck: threading.Event = field(default_factory=threading.Event)

    def environment(self) -> dict[str, str]:
        return {
            "HF_ENDPOINT": self.endpoint,
            "HF_TOKEN": self.token,
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
        }

    def fetched(self, name: str) -> list[Request]:
        """Requests for the body of one file."""
        key = f"/{digest(self.files[name], name in self.large)}"
        return [
            request
            for request in self.requests
            if request.path.endswith((key, f"/resolve/{COMMIT}/{name}"))
            and not (name in self.large and "/resolve/" in request.path)
        ]

    def listing(self) -> dict[str, Any]:
        siblings: list[dict[str, Any]] = []
        for name, content in self.files.items():
            entry: dict[str, Any] = {"rfilename": name, "size": len(content)}
            entry["blobId"] = digest(content, False)
            if name in self.large:
                sha = digest(content, True)
                entry["lfs"] = {"sha256": sha, "size": len(content), "pointerSize": 100}
            entry.update(self.changed.get(name, {}))
            siblings.append(entry)
        return {"id": REPOSITORY, "sha": COMMIT, "siblings": siblings, "private": False}


def digest(content: bytes, is_large: bool) -> str:
    if is_large:
        return hashlib.sha256(content).hexdigest()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


@contextmanager
def serve(files: dict[str, bytes], large: frozenset[str]) -> Iterator[LocalHub]:
    """Run both servers on free ports."""
    hub = LocalHub(files, large)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = unquote(urlsplit(self.path).path)
            headers = self.headers
            hub.requests.append(
                Request(path, headers.get("Range", ""), headers.get("Authorization", ""))
            )
            if path.startswith("/api/models/"):
                self._list(path)
            elif path.startswith(f"/{REPOSITORY}/resolve/{COMMIT}/"):
                self._resolve(path.rpartition("/")[2])
            elif path.startswith("/stored/"):
                by_digest = {digest(hub.files[name], True): name for name in hub.large}
                self._body(by_digest[path.rpartition("/")[2]])
            else:
                self._error(404, "EntryNotFound")

        def _list(self, path: str) -> None:
            repository, _, revision = path.removeprefix("/api/models/").partition("/revision/")
            if hub.listing_fault:
                status, _, code = hub.listing_fault.partition(" ")
                self._error(int(status), code)
            elif repository != REPOSITORY:
                self._error(401, "RepoNotFound")
            elif revision not in {"main", "v1", COMMIT}:
                self._error(404, "RevisionNotFound")
            else:
                self._send(200, json.dumps(hub.listing()).encode(), {})

        def _resolve(self, name: str) -> None:
            if hub.is_gated and self.headers.get("Authorization") != "Bearer good":
                self._error(403, "GatedRepo")
            elif name in hub.large:
                place = f"{hub.storage}/stored/{digest(hub.files[name], True)}"
                self._send(302, b"", {"Location": place})
            else:
                self._body(name)

        def _body(self, name: str) -> None:
            content = hub.files[name]
            fault = hub.faults.get(name)
            kind = ""
            if fault and fault.times:
                fault.times -= 1
                kind = fault.kind
            start = 0
            asked = self.headers.get("Range", "")
            if asked and kind != "no-range":
                start = int(asked.removeprefix("bytes=").partition("-")[0])
            if kind.isdigit():
                self._error(int(kind), "")
                return
            if kind == "corrupt":
                content = bytes([content[0] ^ 1]) + content[1:]
            if kind == "longer":
                content += b"more"
            end = fault.after if fault and kind in {"cut", "stuck"} else len(content)
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(content) - start))
            if start:
                self.send_header(
                    "Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}"
                )
            self.end_headers()
            self.wfile.write(content[start:end])
            self.wfile.flush()
            if kind == "stuck":
                hub.is_stuck.set()
                hub.may_go_on.wait()
                self.wfile.write(content[end:])
            if kind in {"cut", "longer"}:
                self.close_connection = True

        def _error(self, status: int, code: str) -> None:
            self._send(status, b"{}", {"X-Error-Code": code} if code else {})

        def _send(self, status: int, content: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def handle_one_request(self) -> None:
            """Clients of these tests are killed in the middle of a transfer."""
            try:
                super().handle_one_request()
            except (ConnectionResetError, BrokenPipeError):
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    servers = [ThreadingHTTPServer(("127.0.0.1", 0), Handler) for _ in range(2)]
    hub.endpoint, hub.storage = (f"http://127.0.0.1:{server.server_port}" for server in servers)
    threads = [
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        for server in servers
    ]
    for thread in threads:
        thread.start()
    try:
        yield hub
    finally:
        hub.may_go_on.set()
        for server in servers:
            server.shutdown()
            server.server_close()
