"""Models worth fetching for a machine of this size, from `engine/recommended.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from engine.errors import EngineError
from engine.models.hub_cache import is_repository_name

OUR_FILE = Path(__file__).parent.parent / "recommended.toml"
RecommendedPurpose = Literal["chat", "vision", "memory"]

_GIB = 1024**3
# The system itself reports a little less than what was bought.
_REPORTED_SHARE = 0.9
_HEADER = re.compile(r"\s*\[\[\s*model\s*\]\]")
_FIELD_IN_ERROR = re.compile(r" at `\$\.(\w+)`$|field `(\w+)`")


class RecommendedFileWrong(EngineError):
    """The list of recommended models cannot be used; names the file, the line and the key."""


class Recommendation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One model for one size of machine."""

    memory: Literal[8, 16, 32, 64]
    """GiB of the machine."""
    purpose: RecommendedPurpose
    repository: str
    bytes: Annotated[int, msgspec.Meta(ge=1, le=1 << 50)]
    """Of the weights."""
    licence: Annotated[str, msgspec.Meta(min_length=1, max_length=80)]


def read_recommended(file: Path = OUR_FILE) -> tuple[Recommendation, ...]:
    """Every row of the file, in its order. Raises RecommendedFileWrong."""
    try:
        text = file.read_text(encoding="utf-8")
        content = tomllib.loads(text)
    except OSError as error:
        raise RecommendedFileWrong(f"{file} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise RecommendedFileWrong(f"{file} is no TOML file: {error}.") from error
    if unknown := sorted(set(content) - {"model"}):
        raise RecommendedFileWrong(
            f"{file} has the unknown key {unknown[0]!r}; expected [[model]]."
        )
    rows = content.get("model", [])
    if not isinstance(rows, list):
        raise RecommendedFileWrong(f"{file}: 'model' must be a list of tables, [[model]].")
    found = tuple(_read_row(file, text, number, row) for number, row in enumerate(rows))
    _check_unique(file, text, found)
    return found


def recommended_for(rows: Iterable[Recommendation], total_bytes: int) -> tuple[Recommendation, ...]:
    """The rows of the largest size that this much memory reaches; of the smallest below that."""
    rows = tuple(rows)
    sizes = sorted({row.memory for row in rows})
    reached = [size for size in sizes if size * _REPORTED_SHARE * _GIB <= total_bytes]
    size = reached[-1] if reached else next(iter(sizes), 0)
    return tuple(row for row in rows if row.memory == size)


def _read_row(file: Path, text: str, number: int, row: Any) -> Recommendation:
    try:
        found = msgspec.convert(row, Recommendation)
    except msgspec.ValidationError as error:
        key = next((a or b for a, b in _FIELD_IN_ERROR.findall(str(error))), "")
        problem = str(error).partition(" - at ")[0]
        raise _wrong(file, text, number, key, problem) from error
    if not is_repository_name(found.repository) or "/" not in found.repository:
        problem = f"{found.repository!r} is no organisation/name"
        raise _wrong(file, text, number, "repository", problem)
    return found


def _check_unique(file: Path, text: str, rows: Sequence[Recommendation]) -> None:
    seen: set[tuple[int, str]] = set()
    for number, row in enumerate(rows):
        if (row.memory, row.purpose) in seen:
            problem = f"there is another row for {row.memory} GiB and {row.purpose}"
            raise _wrong(file, text, number, "purpose", problem)
        seen.add((row.memory, row.purpose))


def _wrong(file: Path, text: str, number: int, key: str, problem: str) -> RecommendedFileWrong:
    line = _line_of(text, number, key)
    return RecommendedFileWrong(f"{file}, line {line}, {key or 'model'}: {problem}.")


def _line_of(text: str, number: int, key: str) -> int:
    """The line of a key in the numbered table, or of the table's header where it has no such."""
    header = 1
    table = -1
    for line_number, line in enumerate(text.splitlines(), start=1):
        if _HEADER.match(line):
            table += 1
            if table == number:
                header = line_number
        elif table == number and key and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
            return line_number
    return header
