"""The properties at the top of a page, read line by line as strings.

The reading is lenient: it finds what a person would. `problem` says when the block is not what
other programs accept; then it is shown, but never edited.
"""

import json
from dataclasses import dataclass

from vault.article.blocks import Layout
from vault.article.properties import Property, Style
from vault.article.property_reader import PropertyReader
from vault.article.scalars import Scalar

MOST_CHARACTERS = 64 * 1024


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The properties of a page in order; `problem` is a sentence when the block is malformed.

    The block takes the characters up to `end`; `inner_end` is where its closing fence starts.
    """

    properties: tuple[Property, ...]
    inner_end: int
    end: int
    problem: str | None = None

    def find(self, key: str) -> Property | None:
        """Return the last property of that name, whatever its case; others read it so too."""
        folded = key.casefold()
        found = (each for each in reversed(self.properties) if each.key.casefold() == folded)
        return next(found, None)

    def names(self, *keys: str) -> tuple[str, ...]:
        """Return the values of a property that lists names, however it is written.

        Nothing, one value, a line with commas and a list all read as names; `keys` are the
        spellings of the property, such as `aliases` and `alias`.
        """
        names: dict[str, None] = {}
        for key in keys:
            found = self.find(key)
            if found is None:
                continue
            is_line = found.style is Style.SCALAR and not any(each.quote for each in found.values)
            for text in found.texts:
                for name in text.split(",") if is_line else (text,):
                    if name.strip() and name.strip() not in {"~", "null"}:
                        names.setdefault(name.strip())
        return tuple(names)


def read_front_matter(layout: Layout) -> FrontMatter | None:
    """Read the front matter; None when the page has none. Never fails."""
    if not layout.front_lines:
        return None
    lines, closing = layout.lines, layout.front_lines - 1
    start, inner_end, end = lines.start(1), lines.start(closing), lines.start(closing + 1)
    if inner_end - start > MOST_CHARACTERS:
        return FrontMatter((), inner_end, end, "it is larger than 64 KiB")
    if lines.text[start:inner_end].lstrip().startswith("{"):
        return _read_json(lines.text, start, inner_end, end)
    reader = PropertyReader(lines, closing)
    properties = reader.read()
    return FrontMatter(properties, inner_end, end, reader.problem)


def _read_json(text: str, start: int, inner_end: int, end: int) -> FrontMatter:
    problem = "it is written as JSON"
    try:
        entries = json.loads(text[start:inner_end])
    except (ValueError, RecursionError):
        return FrontMatter((), inner_end, end, problem)
    found = []
    for key, value in entries.items() if isinstance(entries, dict) else ():
        texts = value if isinstance(value, list) else [value]
        values = tuple(Scalar(str(each), start, start) for each in texts if each is not None)
        style = Style.FLOW_LIST if isinstance(value, list) else Style.SCALAR
        found.append(Property(key, values, style, start, start, start))
    return FrontMatter(tuple(found), inner_end, end, problem)
