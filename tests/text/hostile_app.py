"""A small app that shows hostile text on many surfaces; run by itself on a pseudo-terminal.

`python hostile_app.py sanitised` passes the text through our helpers as the real app does;
`raw` hands it to the widgets as it is, so that only the gate stands before the terminal;
`open` has no gate either, which proves that the test would see an escape;
`plain` shows nothing hostile and so tells what Textual sends by itself.
"""

import sys
from functools import partial

from markdown_it import MarkdownIt
from rich.text import Text
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Label, Markdown, OptionList, Static, TextArea, Tree

from tui.text.content import literal, literal_line, literal_text
from tui.text.filter import install_gate
from tui.text.sanitise import to_display

CONTROL = [
    "\x1b[31mRED", "\x1b[2J", "\x1b[10A", "\x1b[?1049l", "\x1b[6n", "\x1b[c", "\x1b[>q", "\x1bc",
    "\x1b[38:2:255:0:0m", "\x1b[<0;10;20M", "\x1b]0;title\x07", "\x1b]2;title\x1b\\",
    "\x1b]7;file:///x\x1b\\", "\x1b]8;;file:///x\x1b\\t\x1b]8;;\x1b\\", "\x1b]9;4;1;50\x07",
    "\x1b]10;?\x07", "\x1b]52;c;aGk=\x07", "\x1b]52;p;?\x9c", "\x1b]133;A\x07", "\x1b]1337;File=:x",
    "\x1b]5522;x\x1b\\", "\x1bP+q544e\x1b\\", "\x1bP$qm\x1b\\", "\x1bPq#0~\x1b\\",
    "\x1b_Gf=24;AA\x1b\\",
    "\x1b^pm\x1b\\", "\x1bXsos\x1b\\", "\x1bPtmux;\x1b\x1b[2J\x1b\\", "\x9b2J", "\x9d0;t\x9c",
    "\x90q\x9c",
    "\x9fG\x9c", "\x07" * 9, "safe\b\b\b\bevil", "rm -rf\rsafe  ", "a\x00b\x0bc\x0cd\x0e\x0fe\x7ff",
    "\u202egnp.md\u202c", "\u2066a\u2069", "\ud800\udfff", "\x1b",
]  # fmt: skip
MARKUP = [
    "[/red]", "[red]x[/red]", "[/", "[a='", "[type=x, v={'a[0]'}]", "notes [draft].md", "a[0]=b",
    "[[Link]]", "C:\\[x]", "[$primary]", "[auto]", "[link='http://e']x[/link]",
    "[@click=app.quit]press[/]",
]  # fmt: skip


class HostileApp(App[None]):
    """Every nasty text on every surface, then a line that says that all is drawn."""

    BINDINGS = [("q", "quit", "Quit")]  # noqa: RUF012  # Textual's own form

    def __init__(self, mode: str) -> None:
        super().__init__()
        self.sanitised = mode == "sanitised"
        self.texts = ["plain"] if mode == "plain" else CONTROL
        if mode != "open":
            install_gate(self)

    def compose(self) -> ComposeResult:
        yield Label(Content(""), id="ready")
        with VerticalScroll():
            for text in (*MARKUP, *self.texts):
                yield Static(literal(text) if self.sanitised else Content(text))
        plain = "\n\n".join(f"* {text}\n\n`{text}`" for text in (*self.texts, *MARKUP[:4]))
        shown = to_display(plain) if self.sanitised else plain
        parser = partial(MarkdownIt, "gfm-like", {"html": False})
        yield Markdown(shown, parser_factory=parser, open_links=False)
        lines = "\n".join(self.texts)
        yield TextArea(to_display(lines) if self.sanitised else lines)
        label = "".join(self.texts)
        tree: Tree[None] = Tree(literal_text(label) if self.sanitised else Text(label))
        yield tree
        as_option = literal_line if self.sanitised else Content
        yield OptionList(*(as_option(text) for text in self.texts))

    def on_mount(self) -> None:
        everything = "".join((*self.texts, *MARKUP))
        line = literal_line(everything) if self.sanitised else Content(everything)
        self.title = to_display(everything, multiline=False) if self.sanitised else everything
        pane = self.query_one(VerticalScroll)
        pane.styles.border = ("round", "red")
        pane.border_title, pane.border_subtitle = line, line
        for text in (*self.texts[:4], *MARKUP[:3]):
            self.notify(to_display(text) if self.sanitised else text, markup=False)
        self.set_timer(0.5, self.say_ready)

    def say_ready(self) -> None:
        """Tell the test that a screen full of it has been drawn."""
        self.query_one("#ready", Label).update(Content("READY"))

    CSS = """
    VerticalScroll { height: 58; } Markdown { height: 100; } Tree { height: 5; }
    TextArea { height: 45; } OptionList { height: 45; } Screen { overflow: hidden; }
    """


if __name__ == "__main__":
    HostileApp(sys.argv[1]).run()
