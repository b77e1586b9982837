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
    "Tree": "label", "DirectoryTree": "path", "add_leaf": "label", "set_label": "label",
    "Digits": "value", "Rule": "", "Select": "options", "SelectionList": "",
}  # fmt: skip
KEYWORDS = {
    "Collapsible": {"title"}, "notify": {"title"}, "TextArea": {"placeholder"},
    "MaskedInput": {"placeholder"}, "Select": {"prompt"},
}  # fmt: skip
EVERY_ARGUMENT = {
    "add_row", "add_columns", "OptionList", "add_option", "add_options", "set_options", "Tabs",
    "RadioSet",
}  # fmt: skip
LAST_ARGUMENT = {"replace_option_prompt", "replace_option_prompt_at_index", "update_cell"}
# What makes a string of others: as the argument of `update` it is a text for a widget.
TEXT_MAKERS = {"str", "format", "replace", "repr"}
TREE_KEYWORDS = {"data", "expand", "allow_expand"}
ATTRIBUTES = {"border_title", "border_subtitle", "tooltip"}
# The last two take nothing but what is looked at itself.
HELPERS = {"Content", "Text", "literal", "literal_line", "literal_text", "Option", "Tab"}
CONTENT_METHODS = {"stylize", "truncate", "join", "append"}
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


def makers_in(tree: ast.AST) -> dict[str, bool]:
    """The functions of a module; whether each says it returns `Content`, `Text` or `Option`."""
    found: dict[str, bool] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            parts = ast.walk(node.returns) if node.returns is not None else ()
            names = {name_of(each) for each in parts if isinstance(each, ast.expr)}
            is_maker = bool(names & {"Content", "Text", "Option"}) and "str" not in names
            found[node.name] = is_maker and found.get(node.name, True)
    return found


def public_makers() -> frozenset[str]:
    """Those that other modules can use: of a name that means nothing else anywhere."""
    kinds: dict[str, set[bool]] = {}
    for path in ROOT.rglob("*.py"):
        for name, is_maker in makers_in(ast.parse(path.read_text(encoding="utf-8"))).items():
            kinds.setdefault(name, set()).add(is_maker)
    return frozenset(
        name for name, found in kinds.items() if found == {True} and not name.startswith("_")
    )


PUBLIC_MAKERS = public_makers()
# Those of the module that is looked at.
own_makers: set[str] = set()


def is_safe(node: ast.expr) -> bool:
    """Whether this expression can only be our own text or text that is not read as markup."""
    match node:
        case ast.Starred(value=inner):
            safe = is_safe(inner)
        case ast.GeneratorExp(elt=inner) | ast.ListComp(elt=inner):
            safe = is_safe(inner)
        case ast.Constant():
            safe = True
        case ast.JoinedStr(values=values) | ast.BoolOp(values=values):
            safe = all(map(is_safe, values))
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            safe = all(map(is_safe, parts))
        case ast.FormattedValue(value=inner):
            safe = is_safe(inner) or is_number(node)
        case ast.BinOp(left=one, op=ast.Add(), right=other):
            # What is added to a Content is not read as markup.
            safe = is_content(one) or is_content(other) or (is_safe(one) and is_safe(other))
        case ast.IfExp(body=one, orelse=other):
            safe = is_safe(one) and is_safe(other)
        case _:
            safe = is_content(node)
    return safe


def is_content(node: ast.expr) -> bool:
    """Whether this is a call whose answer is never read as markup."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr=method)) if method in PLAIN_METHODS:
            return name_of(owner) in {"Content", "Text"}
        case ast.Call(func=ast.Attribute(value=ast.Call() as owner, attr=method)):
            return method in CONTENT_METHODS and is_content(owner)
        case ast.Call(func=func):
            return name_of(func) in HELPERS | PUBLIC_MAKERS | own_makers
        case _:
            return False


def is_number(node: ast.FormattedValue) -> bool:
    """Whether a number is put into a text: a length, or what is written with commas."""
    if isinstance(node.value, ast.Call) and name_of(node.value.func) == "len":
        return True
    spec = node.format_spec
    return isinstance(spec, ast.JoinedStr) and ast.unparse(spec)[2:-1] in {",", "d", ",d"}


def is_made_text(node: ast.expr) -> bool:
    """Whether this can only be a string put together here."""
    if isinstance(node, ast.JoinedStr | ast.BinOp):
        return True
    return isinstance(node, ast.Call) and name_of(node.func) in TEXT_MAKERS


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
    if name in LAST_ARGUMENT:
        yield from call.args[-1:]
    if name == "add" and TREE_KEYWORDS & keywords.keys():
        yield from call.args[:1]
    if name == "update":
        yield from (each for each in call.args[:1] if is_made_text(each))
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


def has_module(tree: ast.AST, name: str) -> bool:
    """Whether something is imported from a module, or under a name, of Textual's that has this."""
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    return any(
        name in (each.module or "") or name in {alias.name for alias in each.names}
        for each in imports
    )


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
    own_makers.clear()
    own_makers.update(name for name, is_maker in makers_in(tree).items() if is_maker)
    found = []
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=module, names=names) if module and "markup" in module:
                found += [f"{node.lineno}: imports {a.name}" for a in names if a.name == "escape"]
            case ast.Call(func=ast.Name("Selection")) if not has_module(tree, "selection_list"):
                continue
            case ast.Call(func=ast.Attribute(attr="set_options")) if not any(
                has_module(tree, name) for name in ("OptionList", "option_list")
            ):
                # Chats have options too.
                continue
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
CONSTANT_TABLES = {
    "verbs.py": "Binding(str)",
    "widgets/chat/message_keys.py": "Binding(str)",
    "bench/report.py": "add_row(str)",
}


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
        "OptionList(name)", "OptionList(*names)", "options.add_option(name)", "Tree(name)",
        "options.add_options([f'{n}' for n in names])",
        "from textual.widgets import OptionList\noptions.set_options(n for n in names)",
        "options.replace_option_prompt('id', name)", "node.add(name, data=path)",
        "node.add_leaf(title)", "node.set_label(f'{name}')", "Select([(name, 1)])",
        "TextArea(placeholder=name)", "Select(rows, prompt=name)", "Tabs(name)", "RadioSet(name)",
        "from textual.widgets.selection_list import Selection\nSelection(name, 1)",
        "static.update(f'{name}')", "static.update(f'{name:>9}')", "static.update('a' + name)",
        "static.update(str(error))", "def line(n) -> str:\n return n\nStatic(line(name))",
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
        "OptionList(*(literal_line(n) for n in names))", "OptionList('a', 'b', id='x')",
        "options.set_options(Option(literal(n)) for n in names)", "seen.add(name)", "Tree('wiki')",
        "node.add(literal_text(name), data=path)", "known.update(names)", "static.update(text)",
        "digest.update(text.encode())", "static.update(literal(f'{name}'))", "Select(())",
        "Markdown(name)", "Input(name)", "Input(placeholder=name)", "re.escape(name)",
        "Content.from_markup('[b]ours[/b]')", "static.update(f'{len(names)} pages')",
        "static.update(f'{count:,} pages')", "static.update(literal('a') + name)",
        "Static(Content('').join(names))", "from textual.widgets.text_area import Selection\n"
        "Selection(start, end)",
        "class Note(Static):\n def __init__(self, name):\n  super().__init__(literal(name))",
        "class Note(Static):\n def __init__(self, name):\n  super().__init__(name, markup=False)",
        "class Pane(Vertical):\n def __init__(self, name):\n  super().__init__(name)",
    ],
)  # fmt: skip
def test_it_accepts(source: str) -> None:
    assert faults(source) == []


def test_it_looks_at_something() -> None:
    assert len(list(ROOT.rglob("*.py"))) > 10
