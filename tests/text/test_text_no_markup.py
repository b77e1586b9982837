"""No text from outside reaches an interface that reads markup.

Textual and Rich take a plain `str` for markup nearly everywhere: a name with brackets loses them,
crashes the app or runs an action. So such a place takes a constant of ours, a helper of
`tui.text.content`, a `Content` or `Text`, or says `markup=False`.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "tui"

FIRST_ARGUMENT = {
    "Static": "content", "Label": "content", "Button": "label", "Option": "prompt", "Tab": "label",
    "TabPane": "title", "Checkbox": "label", "RadioButton": "label", "ToggleButton": "label",
    "Selection": "prompt", "Link": "text", "notify": "message", "add_column": "label",
}  # fmt: skip
KEYWORDS = {"Collapsible": {"title"}, "notify": {"title"}}
EVERY_ARGUMENT = {"add_row", "add_columns"}
ATTRIBUTES = {"border_title", "border_subtitle", "tooltip"}
HELPERS = {"Content", "Text", "literal", "literal_line", "literal_text"}
# Constructors of Content and Text that take their text as it is.
PLAIN_METHODS = {"assemble", "styled", "blank", "empty"}


def name_of(node: ast.expr) -> str:
    match node:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value):
            return name_of(value)
        case _:
            return ""


def is_safe(node: ast.expr) -> bool:
    """Whether this expression can only be our own text or text that is not read as markup."""
    if isinstance(node, ast.Starred) and isinstance(node.value, ast.GeneratorExp):
        node = node.value.elt
    match node:
        case ast.Constant():
            return True
        case ast.JoinedStr(values=values) | ast.BoolOp(values=values):
            return all(map(is_safe, values))
        case ast.BinOp(left=one, op=ast.Add(), right=other) | ast.IfExp(body=one, orelse=other):
            return is_safe(one) and is_safe(other)
        case ast.Call(func=ast.Attribute(value=owner, attr=method)) if method in PLAIN_METHODS:
            return name_of(owner) in {"Content", "Text"}
        case ast.Call(func=func):
            return name_of(func) in HELPERS
        case _:
            return False


def turns_markup_off(call: ast.Call) -> bool:
    return any(
        keyword.arg == "markup"
        and isinstance(keyword.value, ast.Constant)
        and not keyword.value.value
        for keyword in call.keywords
    )


def risky_arguments(call: ast.Call, name: str) -> Iterator[ast.expr]:
    """The arguments of this call that would be read as markup."""
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    if name in FIRST_ARGUMENT:
        yield from call.args[:1]
        yield from (value for key, value in keywords.items() if key == FIRST_ARGUMENT[name])
    if name in EVERY_ARGUMENT:
        yield from call.args
    watched = KEYWORDS.get(name, set()) | {"tooltip"}
    yield from (value for key, value in keywords.items() if key in watched)


def constructs(call: ast.Call, classes: dict[ast.AST, str]) -> str:
    """The name whose arguments this call fills: for `super().__init__`, that of the base class."""
    match call.func:
        case ast.Attribute(value=ast.Call(func=ast.Name("super")), attr="__init__"):
            return classes.get(call, "")
        case ast.Attribute(value=ast.Name("Content" | "Text"), attr="from_markup"):
            return "from_markup"
        case func:
            return name_of(func)


def inherited_calls(tree: ast.AST) -> dict[ast.AST, str]:
    """Every node inside a class that extends a widget we watch, with that widget's name."""
    found: dict[ast.AST, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            bases = [name_of(base) for base in node.bases]
            watched = [base for base in bases if base in FIRST_ARGUMENT or base in KEYWORDS]
            found |= {inner: watched[0] for inner in ast.walk(node) if watched}
    return found


def faults(source: str) -> list[str]:
    """Each place of a module that may show text from outside as markup, as `line: what`."""
    tree = ast.parse(source)
    classes = inherited_calls(tree)
    found = []
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=module, names=names) if module and "markup" in module:
                found += [f"{node.lineno}: imports {a.name}" for a in names if a.name == "escape"]
            case ast.Call():
                found += call_faults(node, constructs(node, classes))
            case ast.Assign(targets=targets, value=value) if not is_safe(value):
                names_set = {target.attr for target in targets if isinstance(target, ast.Attribute)}
                found += [f"{node.lineno}: {name} = str" for name in names_set & ATTRIBUTES]
            case ast.AugAssign(target=ast.Attribute(attr=name)) if name in ATTRIBUTES:
                found.append(f"{node.lineno}: {name} += str")
            case _:
                continue
    return found


def call_faults(call: ast.Call, name: str) -> list[str]:
    if isinstance(call.func, ast.Attribute) and name_of(call.func.value) == "markup":
        return [f"{call.lineno}: markup.{name}"] if name == "escape" else []
    if name == "from_markup":
        return [] if all(map(is_safe, call.args[:1])) else [f"{call.lineno}: from_markup"]
    if turns_markup_off(call) or all(map(is_safe, risky_arguments(call, name))):
        return []
    return [f"{call.lineno}: {name}(str)"]


# Bindings take no Content, and these are made from constants; the bench's cells are Text already.
CONSTANT_TABLES = {"verbs.py": "Binding(str)", "bench/report.py": "add_row(str)"}


@pytest.mark.parametrize(
    "path", sorted(ROOT.rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT))
)
def test_no_module_passes_foreign_text_as_markup(path: Path) -> None:
    allowed = CONSTANT_TABLES.get(str(path.relative_to(ROOT)), "")
    found = faults(path.read_text(encoding="utf-8"))
    assert [fault for fault in found if not allowed or not fault.endswith(allowed)] == []


@pytest.mark.parametrize(
    "source",
    [
        "Static(name)", "Static(f'{name}')", "Static('a' + name)", "Static(str(error))",
        "widgets.Static(name)", "Static(content=name)", "Label(self.title)", "Button(label=name)",
        "Option(names[0])", "Tab(name, id='x')", "TabPane(f'{n}', body)", "Collapsible(title=name)",
        "self.notify(f'no {name}')", "app.notify(str(error), title='x')", "notify('a', title=name)",
        "notify(name, markup=True)", "notify(name, markup=flag)", "self.border_title = name",
        "pane.border_subtitle = f'{n}'", "row.tooltip = path", "Button('x', tooltip=name)",
        "table.add_row('a', name)", "table.add_column(name)",
        "table.add_row(*(n for n in names))", "Static('a' if x else name)",
        "Static(name or 'none')", "Content.from_markup(name)", "Text.from_markup(f'[b]{name}')",
        "from rich.markup import escape", "from textual.markup import escape", "markup.escape(x)",
        "self.border_title += name", "Static(escape(name))", "Static('%s' % name)",
        "class Note(Static):\n def __init__(self, name):\n  super().__init__(name)",
        "class Fold(Collapsible):\n def __init__(self, name):\n  super().__init__(title=name)",
        "class Row(Option[int]):\n def __init__(self, name):\n  super().__init__(f'{name}')",
    ],
)  # fmt: skip
def test_it_catches(source: str) -> None:
    assert faults(source) != []


@pytest.mark.parametrize(
    "source",
    [
        "Static()", "Static('plain')", "Static('a' 'b')", "Static(f'plain')", "Static('a' + 'b')",
        "Static(Content(name))", "Static(literal(name))", "Static(content.literal_line(name, 9))",
        "Label(Text(name))", "Static(name, markup=False)", "Static('a' if x else 'b')",
        "Static(Content.assemble('a', name))", "Static(Content.styled(name, 'bold'))",
        "notify(name, markup=False)", "notify(name, title=name, markup=False)", "Static(id=name)",
        "self.border_title = literal_line(name)", "self.title = name", "self.border_title = None",
        "table.add_row(Text(name), literal_text(n))",
        "table.add_row(*(Text(n) for n in names))", "Collapsible(body, title='Thinking')",
        "Markdown(name)", "Input(name)", "Content.from_markup('[b]ours[/b]')", "re.escape(name)",
        "class Note(Static):\n def __init__(self, name):\n  super().__init__(literal(name))",
        "class Note(Static):\n def __init__(self, name):\n  super().__init__(name, markup=False)",
        "class Pane(Vertical):\n def __init__(self, name):\n  super().__init__(name)",
    ],
)  # fmt: skip
def test_it_accepts(source: str) -> None:
    assert faults(source) == []


def test_it_looks_at_something() -> None:
    assert len(list(ROOT.rglob("*.py"))) > 10
