"""What a compiled shim and its verdict depend on, cheap enough to look up at every start."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

_CPU_FIELDS = ("vendor_id", "model name", "flags", "CPU part", "Features")


def file_identity(path: Path) -> str:
    """Resolved path, size and modification time; 'absent' when it cannot be read."""
    try:
        resolved = path.resolve(strict=True)
        status = resolved.stat()
    except OSError:
        return "absent"
    return f"{resolved} {status.st_size} {status.st_mtime_ns}"


def cpu_identity() -> str:
    """Machine, model and instruction sets of the first processor."""
    try:
        first = Path("/proc/cpuinfo").read_text("utf-8", errors="replace").split("\n\n")[0]
    except OSError:
        first = ""
    fields = [line for line in first.splitlines() if line.split("\t")[0].strip() in _CPU_FIELDS]
    return "\n".join([platform.machine(), *fields])


def mlx_library() -> Path | None:
    """The libmlx.so that `import mlx.core` will load, found without importing it."""
    spec = find_spec("mlx")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        library = Path(folder) / "lib" / "libmlx.so"
        if library.is_file():
            return library
    return None


def digest(parts: Sequence[str | bytes]) -> str:
    """A file name's worth of SHA-256 over the parts and where each ends."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "big"))
        total.update(data)
    return total.hexdigest()[:32]
