"""The values in front matter: reads them as strings, whatever YAML would make of them."""

import re
from dataclasses import dataclass

_ESCAPES = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "\t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    " ": " ",
    '"': '"',
    "/": "/",
    "\\": "\\",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}
_ESCAPED = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_DOUBLE = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SINGLE = re.compile(r"'(?:[^']|'')*'")
_FOLD = re.compile(r"(?<![ \t])[ \t]*(?:\r\n|\r|\n)[ \t]*((?:(?:\r\n|\r|\n)[ \t]*)*)")
_BREAK = re.compile("\r\n|\r|\n")
_COMMENT = re.compile(r"(?:^|[ \t])#.*", re.DOTALL)
# In a flow list a comma or bracket ends a plain value; [[a, b]] is a link, not a nested list.
_FLOW_VALUE = re.compile(
    r"""[ \t\r\n]*(?:(?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')
    |(?P<plain>(?:!?\[\[[^\[\]\r\n]*\]\]|[^,\[\]\r\n])*))[ \t\r\n]*""",
    re.VERBOSE | re.DOTALL,
)
_NEEDS_QUOTES = re.compile(r"""^[\s\-?:,\[\]{}\#&*!|>'"%@`=~]|^$|:(?:[ \t]|$)|[ \t]\#|\s$""")
_PLAIN_DASH = re.compile(r"-[^\s-]")
_WRITTEN = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\", "\0": "\\0"}
_TO_ESCAPE = re.compile(r'[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff"\\]')


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value and the characters it is written with, its quotes included; `quote` may be empty."""

    text: str
    start: int
    end: int
    quote: str = ""


def read_quoted(text: str, start: int, end: int) -> Scalar | None:
    """Read the quoted value that starts at `start`; None when its closing quote is missing."""
    pattern = _DOUBLE if text[start] == '"' else _SINGLE
    found = pattern.match(text, start, end)
    if found is None:
        return None
    return Scalar(_unquoted(found.group()), start, found.end(), text[start])


def read_plain(text: str, start: int, end: int) -> Scalar:
    """Read an unquoted value; a comment after it is not part of it."""
    written = text[start:end]
    comment = _COMMENT.search(written)
    if comment and "\n" not in comment.group() and "\r" not in comment.group():
        written = written[: comment.start()]
    indent = len(written) - len(written.lstrip(" \t\r\n"))
    written = written.strip(" \t\r\n")
    return Scalar(_folded(written), start + indent, start + indent + len(written))


def read_block_scalar(written: str, style: str) -> str:
    """Read the lines below `|` or `>`: as they are, or joined by spaces."""
    lines = _BREAK.split(written)
    indent = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
    body = "\n".join(line[indent:] for line in lines).strip("\n")
    return _folded(body) if style.startswith(">") else body


def read_flow_list(text: str, start: int, end: int) -> tuple[tuple[Scalar, ...], int] | None:
    """Read `[a, "b"]` and where it ends; None when it is no flat list or has no closing bracket."""
    values: list[Scalar] = []
    position = start + 1
    while found := _FLOW_VALUE.match(text, position, end):
        if found["quoted"]:
            value = read_quoted(text, found.start("quoted"), end)
            if value is not None:
                values.append(value)
        elif found["plain"].strip():
            values.append(read_plain(text, *found.span("plain")))
        position = found.end()
        if text[position : min(position + 1, end)] == "]":
            return tuple(values), position + 1
        if text[position : min(position + 1, end)] != ",":
            return None
        position += 1
    return None


def write_scalar(text: str, quote: str = "", *, is_in_flow: bool = False) -> str:
    """Write a value so that it is read back as it is, in the given quotes where they can hold it.

    It is quoted where YAML would read something else than a string of that spelling; numbers,
    dates and words such as `true` stay plain, as other programs expect them.
    """
    if _TO_ESCAPE.search(text.replace('"', "").replace("\\", "")) or quote == '"':
        return f'"{_TO_ESCAPE.sub(_escape, text)}"'
    if quote == "'":
        return "'" + text.replace("'", "''") + "'"
    is_special = _NEEDS_QUOTES.search(text) and not (
        _PLAIN_DASH.match(text) and not _NEEDS_QUOTES.search(text[1:])
    )
    if is_special or text in {"---", "..."} or (is_in_flow and re.search(r"[,\[\]{}]", text)):
        return f'"{_TO_ESCAPE.sub(_escape, text)}"'
    return text


def _unquoted(written: str) -> str:
    inner = _folded(written[1:-1], is_double=written[0] == '"')
    if written[0] == "'":
        return inner.replace("''", "'")
    return _ESCAPED.sub(_unescape, inner)


def _folded(written: str, *, is_double: bool = False) -> str:
    """Join the lines of a value as YAML does: one break is a space, more keep all but one."""
    if "\n" not in written and "\r" not in written:
        return written
    if is_double:
        written = re.sub(r"(?<!\\)((?:\\\\)*)\\(?:\r\n|\r|\n)[ \t]*", r"\1", written)
    return _FOLD.sub(lambda found: "\n" * len(_BREAK.findall(found[1])) or " ", written)


def _unescape(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code is None:
        return _ESCAPES.get(found[4], found.group())
    number = int(code, 16)
    is_character = number < 0x110000 and not 0xD800 <= number < 0xE000
    return chr(number) if is_character else "\ufffd"


def _escape(found: re.Match[str]) -> str:
    character = found.group()
    return _WRITTEN.get(character) or (
        f"\\x{ord(character):02x}" if ord(character) < 0x100 else f"\\u{ord(character):04x}"
    )
