"""Prints the file map of README.md from the first line of every module: `python docs/file_map.py`.

`--write` puts it into README.md between its two marks.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("tui", "engine", "vault", "themes")
START, END = "<!-- file map -->", "<!-- end of file map -->"
MOST_COLUMNS = 110


def file_map() -> str:
    """One line a folder, one a file."""
    lines: list[str] = []
    for package in PACKAGES:
        for folder in sorted({path.parent for path in (ROOT / package).rglob("*.py")}):
            lines.append(
                f"{folder.relative_to(ROOT)}/  {_purpose(folder / '__init__.py')}".rstrip()
            )
            lines += [
                shorten(f"  {path.name:<22} {_purpose(path)}")
                for path in sorted(folder.glob("*.py"))
                if path.name != "__init__.py"
            ]
    return "\n".join(lines)


def shorten(line: str) -> str:
    """At most so many columns, cut between words."""
    if len(line) <= MOST_COLUMNS:
        return line.rstrip()
    return line[: MOST_COLUMNS - 2].rsplit(" ", 1)[0].rstrip(" ,;:") + " …"


def with_map(readme: str) -> str:
    """The README with a fresh map between its marks."""
    before, _, rest = readme.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n```text\n{file_map()}\n```\n{END}{after}"


def _purpose(path: Path) -> str:
    if not path.exists():
        return ""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.split("\n\n")[0].replace("\n", " ")


def main() -> None:
    """Print the map, or write it."""
    readme = ROOT / "README.md"
    if "--write" in sys.argv:
        readme.write_text(with_map(readme.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        sys.stdout.write(file_map() + "\n")


if __name__ == "__main__":
    main()
