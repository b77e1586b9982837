"""What the keys of writing do to a text: pure functions from a text to one change of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ITEM = re.compile(
    r"(?P<indent>(?:[ \t]|>[ \t]?)*)(?P<mark>[-+*]|\d{1,9}[.)])(?P<gap>[ \t]+)"
    r"(?P<task>\[[ xX]\][ \t]+)?"
)
_QUOTE = re.compile(r"(?:>[ \t]?)+")
_INDENT = re.compile(r"[ \t]*")
_ADDRESS = re.compile(r"(?:https?|ftp)://\S{1,4000}|mailto:\S{1,500}")
_WORD = re.compile(r"[\w'’-]+")
_TASK = re.compile(r"(?P<lead>(?:[ \t]|>[ \t]?)*(?:[-+*]|\d{1,9}[.)])[ \t]+)\[(?P<state>[ xX])\]")
_LEAD = re.compile(r"(?:[ \t]|>[ \t]?)*")


@dataclass(frozen=True, slots=True)
class TextChange:
    """Put `text` in the place of the characters `start` to `end`; then select `selected`."""

    start: int
    end: int
    text: str
    selected: tuple[int, int]


def toggled_mark(text: str, start: int, end: int, mark: str) -> TextChange:
    """Put a mark around what is selected, or the word at the cursor; or take it away again."""
    if start == end:
        start, end = _word_at(text, start)
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    size, inner = len(mark), text[start:end]
    if _is_marked(text[:start][-size - 1 :], text[end:][: size + 1], mark):
        return TextChange(start - size, end + size, inner, (start - size, end - size))
    if len(inner) > 2 * size and _is_marked(inner[: size + 1], inner[-size - 1 :], mark, True):
        bare = inner[size:-size]
        return TextChange(start, end, bare, (start, start + len(bare)))
    written = f"{mark}{inner}{mark}"
    return TextChange(start, end, written, (start + size, start + size + len(inner)))


def _is_marked(before: str, after: str, mark: str, is_inside: bool = False) -> bool:
    """Whether a mark stands at a border, and not a longer one of the same letters."""
    size, letter = len(mark), mark[0]
    if is_inside:
        return (
            before.startswith(mark)
            and after.endswith(mark)
            and before[size:] != letter
            and after[:-size] != letter
        )
    return (
        before.endswith(mark)
        and after.startswith(mark)
        and before[:-size] != letter
        and after[size:] != letter
    )


def linked(text: str, start: int, end: int) -> TextChange:
    """Make what is selected, or the word at the cursor, a link between brackets; or free it."""
    if start == end:
        start, end = _word_at(text, start)
    inner = text[start:end]
    if text[:start].endswith("[[") and text[end:].startswith("]]"):
        return TextChange(start - 2, end + 2, inner, (start - 2, end - 2))
    if inner.startswith("[[") and inner.endswith("]]") and len(inner) > 4:
        return TextChange(start, end, inner[2:-2], (start, end - 4))
    return TextChange(start, end, f"[[{inner}]]", (start + 2, end + 2))


def pasted_over(selected: str, pasted: str) -> str | None:
    """A Markdown link, when an address is pasted over a text; None for anything else."""
    address = pasted.strip()
    if not selected.strip() or "\n" in selected or _ADDRESS.fullmatch(address) is None:
        return None
    if _ADDRESS.fullmatch(selected.strip()) or any(each in selected for each in "[]"):
        return None
    safe = address.replace("(", "%28").replace(")", "%29")
    return f"[{selected}]({safe})"


def continued(line: str, column: int) -> str | None:
    """What the next line begins with after Enter; "" to end a list, None for nothing special."""
    found = _ITEM.match(line)
    if found is None:
        quote = _QUOTE.match(line)
        if quote is None or column < quote.end():
            return None
        return "" if line.strip("> \t") == "" else quote.group()
    if column < found.end():
        return None
    if not line[found.end() :].strip():
        return ""
    mark = found["mark"]
    if mark[:-1].isdigit():
        mark = f"{int(mark[:-1]) + 1}{mark[-1]}"
    task = "[ ] " if found["task"] else ""
    return f"{found['indent']}{mark}{found['gap']}{task}"


def is_item(line: str) -> bool:
    """Whether a line is an item of a list."""
    return _ITEM.match(line) is not None


def indented(line: str, steps: int, width: int = 4) -> str:
    """A line moved to the right by one step, or to the left."""
    if steps > 0:
        found = _ITEM.match(line)
        # As far as the text of the item above, which is what makes it an item below that one.
        cells = len(found["mark"] + found["gap"]) if found else width
        return " " * min(cells, width) + line
    space = _INDENT.match(line)
    lead = space.group() if space else ""
    if lead.startswith("\t"):
        return line[1:]
    found = _ITEM.match(line)
    cells = min(len(found["mark"] + found["gap"]), width) if found else width
    return line[min(cells, len(lead) - len(lead.lstrip(" "))) :]


def toggled_task(line: str) -> str:
    """A line as an open task, a done one, or open again."""
    found = _TASK.match(line)
    if found is not None:
        state = " " if found["state"] in "xX" else "x"
        return f"{found['lead']}[{state}]{line[found.end() :]}"
    item = _ITEM.match(line)
    if item is not None:
        return f"{line[: item.end()]}[ ] {line[item.end() :]}"
    lead = _LEAD.match(line)
    at = lead.end() if lead else 0
    return f"{line[:at]}- [ ] {line[at:]}"


def _word_at(text: str, at: int) -> tuple[int, int]:
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    for found in _WORD.finditer(text, start):
        if found.start() > at:
            break
        if found.end() >= at:
            return found.span()
        if "\n" in text[found.end() : at]:
            break
    return at, at
