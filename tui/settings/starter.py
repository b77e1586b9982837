"""A config.toml to begin with, written from the schema so that it cannot drift from it."""

import ast
import functools
import inspect
import textwrap
from collections.abc import Iterator, Mapping

from msgspec import Struct

from tui.settings.keys import Key, all_keys
from tui.settings.values import expected, to_toml

_OPENING = """\
# Settings of Zibaldone. Every line below shows its default.
# Take away the # before a name to change its value.
# The command line wins over the environment, the environment over this file.
"""


def starter_text() -> str:
    """The whole file, every key commented out."""
    lines = [_OPENING]
    section: tuple[str, ...] = ()
    for key in all_keys().values():
        head = key.path if key.is_table else key.path[:-1]
        if head != section:
            section = head
            lines.append(f"[{'.'.join(head)}]")
            lines.extend(_comment(inspect.getdoc(key.owner) or "") if not key.is_table else ())
            lines.append("")
        lines.extend(_entry(key))
        lines.append("")
    return "\n".join(lines)


def _entry(key: Key) -> Iterator[str]:
    yield from _comment(documentation(key))
    if key.is_table:
        yield '# For example: send-message = "ctrl+j"'
        return
    yield from _comment(f"It takes {expected(key)}. Environment: {key.variable}")
    yield f"#{key.path[-1]} = {to_toml(key.default)}"


def _comment(text: str) -> Iterator[str]:
    return (f"# {line}" for line in textwrap.wrap(text, 90))


def documentation(key: Key) -> str:
    """What the schema says about a key."""
    return _docs_of(key.owner)[key.path[-1]]


@functools.cache
def _docs_of(struct: type[Struct]) -> Mapping[str, str]:
    """The texts below the fields, which Python itself does not keep."""
    definition = ast.parse(textwrap.dedent(inspect.getsource(struct))).body[0]
    assert isinstance(definition, ast.ClassDef)
    docs = {}
    for statement, after in zip(definition.body, definition.body[1:], strict=False):
        match statement, after:
            case ast.AnnAssign(target=ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                docs[name] = inspect.cleandoc(text)
            case _:
                continue
    return docs
