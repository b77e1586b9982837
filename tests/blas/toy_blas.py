"""Small CBLAS libraries compiled for one test, and `activate` called in a process of its own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).with_name("toy_library.c")

_ACTIVATE = """
import json, sys
from pathlib import Path
from engine.worker.blas import activate

path = activate(Path(sys.argv[1]), sys.argv[2] or None)
after = {}
exec(sys.argv[3], after)
print(json.dumps({"kind": path.kind, "library": path.library, "reason": path.reason,
                  "advice": path.advice, "is_fast": path.is_fast, "seen": after.get("seen")}))
"""


def compile_toy(folder: Path, variant: str = "", name: str = "libtoy.so") -> Path:
    """A library of plain loops; `variant` is C run before each element of a product."""
    library = folder / name
    compiler = shutil.which("cc") or shutil.which("gcc") or "clang"
    arguments = [compiler, "-O2", "-shared", "-fPIC", f"-DVARIANT={variant}", "-o", str(library)]
    subprocess.run([*arguments, str(SOURCE)], check=True)
    return library


def activated(
    cache: Path, setting: str = "", then: str = "", **environment: str
) -> dict[str, object]:
    """What `activate` answers in a fresh process, and `seen` as set by the code run after it."""
    inherited = {name: value for name, value in os.environ.items() if name != "ZIB_BLAS"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", _ACTIVATE, str(cache), setting, then],
        env={**inherited, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return answer
