"""Reads the lines of a front matter block as properties."""

import re

from vault.article.lines import LineTable
from vault.article.properties import Property, Style
from vault.article.scalars import (
    Scalar,
    read_block_scalar,
    read_flow_list,
    read_plain,
    read_quoted,
)

_KEY = re.compile(
    r"""(?P<key>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'#\[\]{},|>@`%][^\r\n]*?)[ \t]*:(?=[ \t]|$)"""
)
_ITEM = re.compile(r"[ \t]*-(?=[ \t]|$)")
_BLOCK_STYLE = re.compile(r"[|>][-+0-9]*[ \t]*(?:#.*)?$")
_LINK = re.compile(r"\[\[[^\[\]]+\]\]")
_NESTED = re.compile(r"[ \t]*(?:[^\s#\"'\[{-][^\r\n]*?|\"[^\"\r\n]*\"|'[^'\r\n]*'):(?:[ \t]|$)")


class PropertyReader:
    """Goes through the lines of one block; `problem` is the first thing found wrong."""

    def __init__(self, lines: LineTable, closing: int) -> None:
        self.problem: str | None = None
        self._lines = lines
        self._closing = closing
        self._inner_end = lines.start(closing)

    def read(self) -> tuple[Property, ...]:
        """Read every property."""
        found: list[Property] = []
        line = 1
        while line < self._closing:
            content = self._lines.content(line)
            key = None if content[:1] in {" ", "\t", ""} else _KEY.match(content)
            if key is None or _ITEM.match(content):
                if content.strip() and not content.lstrip().startswith("#"):
                    self._is_wrong(line, "is no property")
                line += 1
                continue
            past = self._past(line)
            found.append(self._property(line, past, key))
            line = max(past, self._lines.line_of(found[-1].end - 1) + 1)
        return tuple(found)

    def _is_wrong(self, line: int, what: str) -> None:
        self.problem = self.problem or f"line {line + 1} {what}"

    def _past(self, line: int) -> int:
        """Return the line behind a property: where no indented line or list item follows."""
        past = end = line + 1
        while past < self._closing:
            content = self._lines.content(past)
            if content.strip() and not (content[0] in " \t" or _ITEM.match(content)):
                break
            past += 1
            if content.strip() and not content.lstrip().startswith("#"):
                end = past
                indent = content[: len(content) - len(content.lstrip())]
                if "\t" in indent:
                    self._is_wrong(past - 1, "is indented by a tab")
        return end

    def _property(self, line: int, past: int, key: re.Match[str]) -> Property:
        start = self._lines.start(line)
        name = key["key"]
        quoted = read_quoted(name, 0, len(name)) if name[0] in "\"'" else None
        value_start = start + key.end()
        style, values, end = self._value(line, past, value_start)
        return Property(
            quoted.text if quoted else name,
            values,
            style,
            start,
            value_start,
            self._lines.start(self._lines.line_of(max(end, value_start) - 1) + 1),
        )

    def _value(self, line: int, past: int, start: int) -> tuple[Style, tuple[Scalar, ...], int]:
        """Return the style, the values and an offset on the last line of a property."""
        text, end = self._lines.text, self._lines.end(past - 1)
        first = self._lines.content(line)[start - self._lines.start(line) :]
        begin = start + len(first) - len(first.lstrip(" \t"))
        written = first.strip(" \t")
        if not written or written.startswith("#"):
            return self._below(line, past, start)
        if _BLOCK_STYLE.fullmatch(written):
            below = text[self._lines.start(line + 1) : end] if past > line + 1 else ""
            value = Scalar(read_block_scalar(below, written), begin, end, written[0])
            return Style.SCALAR, (value,), end
        if written[0] in "\"'":
            return self._quoted(line, begin, end)
        if written[0] == "[" and not _LINK.match(written):
            found = read_flow_list(text, begin, self._inner_end)
            if found is not None:
                self._must_end(found[1])
                return Style.FLOW_LIST, found[0], max(found[1], end)
            self._is_wrong(line, "holds a list that is nested or not closed")
        if written[0] in "[{" and not _LINK.match(written) and written[:2] != "{{":
            return Style.NESTED, (), end
        return Style.SCALAR, (read_plain(text, begin, end),), end

    def _quoted(self, line: int, start: int, end: int) -> tuple[Style, tuple[Scalar, ...], int]:
        value = read_quoted(self._lines.text, start, self._inner_end)
        if value is None:
            self._is_wrong(line, "holds a quote that is not closed")
            value = read_plain(self._lines.text, start, self._lines.end(line))
            return Style.SCALAR, (value,), end
        self._must_end(value.end)
        return Style.SCALAR, (value,), max(value.end, end)

    def _must_end(self, offset: int) -> None:
        """Complain about text behind a closing quote or bracket."""
        line = self._lines.line_of(offset - 1)
        rest = self._lines.text[offset : self._lines.end(line)].strip(" \t")
        if rest and not rest.startswith("#"):
            self._is_wrong(line, "goes on behind its value")

    def _below(self, line: int, past: int, start: int) -> tuple[Style, tuple[Scalar, ...], int]:
        """Read a value that starts on the line below its key."""
        lines, end = self._lines, self._lines.end(past - 1)
        inner = [each for each in range(line + 1, past) if self._is_content(each)]
        if not inner:
            return Style.SCALAR, (), start
        if all(_ITEM.match(lines.content(each)) for each in inner):
            values = tuple(each for each in map(self._item, inner) if each is not None)
            is_flat = len({_indent(lines.content(each)) for each in inner}) == 1
            return (Style.BLOCK_LIST if is_flat else Style.NESTED), values, end
        if _ITEM.match(lines.content(inner[0])) or _NESTED.match(lines.content(inner[0])):
            return Style.NESTED, (), end
        first = lines.content(inner[0])
        begin = lines.start(inner[0]) + _indent(first)
        if first.lstrip()[0] in "\"'":
            return self._quoted(inner[0], begin, end)
        return Style.SCALAR, (read_plain(lines.text, begin, end),), end

    def _is_content(self, line: int) -> bool:
        content = self._lines.content(line).strip()
        return bool(content) and not content.startswith("#")

    def _item(self, line: int) -> Scalar | None:
        content, start, end = self._lines.content(line), self._lines.start(line), 0
        marker = _ITEM.match(content)
        begin = marker.end() if marker else 0
        begin += len(content[begin:]) - len(content[begin:].lstrip(" \t"))
        if begin == len(content) or content[begin] == "#":
            return None
        end = self._lines.end(line)
        if content[begin] in "\"'":
            value = read_quoted(self._lines.text, start + begin, end)
            if value is not None:
                self._must_end(value.end)
                return value
            self._is_wrong(line, "holds a quote that is not closed")
        return read_plain(self._lines.text, start + begin, end)


def _indent(content: str) -> int:
    return len(content) - len(content.lstrip(" \t"))
