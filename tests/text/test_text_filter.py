"""The gate behind all widgets."""

import pytest
from rich.cells import cell_len
from rich.segment import ControlType, Segment
from rich.style import Style
from textual.app import App, ComposeResult
from textual.color import Color
from textual.widgets import Static

from tui.text.content import literal, literal_line, literal_text
from tui.text.filter import TerminalGate, install_gate

BLACK = Color(0, 0, 0)


def passed(*segments: Segment) -> list[Segment]:
    return TerminalGate().apply(list(segments), BLACK)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("plain", "plain"),
        ("é 日本 👩\u200d👧 ❤\ufe0f", "é 日本 👩\u200d👧 ❤\ufe0f"),
        ("a\x1b]52;c;aGk=\x07b", "a]52;c;aGk=b"),
        ("a\x9b2Jb", "a2Jb"),
        ("a\tb\nc\rd\x00", "abcd"),
        ("\u202e\u2066\u200b\ufeff\u2028x", "x"),
        ("\U000e0041x\U000e0100", "x"),
    ],
)
def test_what_has_no_width_goes_and_alignment_stays(text: str, kept: str) -> None:
    style = Style(bold=True)
    assert passed(Segment(text, style)) == [Segment(kept, style)]
    assert cell_len(text) == cell_len(kept)


def test_every_control_character_goes() -> None:
    codes = [*range(0x20), *range(0x7F, 0xA0)]
    assert passed(Segment("".join(map(chr, codes)))) == [Segment("")]


def test_lone_surrogates_keep_their_cell() -> None:
    assert passed(Segment("a\ud800b")) == [Segment("a\ufffdb")]


def test_control_segments_of_textual_itself_pass() -> None:
    home = Segment("\x1b[H", None, [(ControlType.HOME,)])
    assert passed(home) == [home]


def test_hyperlinks_are_dropped_because_their_address_is_written_raw() -> None:
    linked = Style(bold=True, link="http://e/\x1b]0;t\x07")
    (segment,) = passed(Segment("x", linked))
    assert segment.style is not None
    assert segment.style.link is None
    assert segment.style.bold


class OneStatic(App[None]):
    def __init__(self) -> None:
        super().__init__()
        install_gate(self)
        install_gate(self)

    def compose(self) -> ComposeResult:
        yield Static("A\x1b]52;c;aGk=\x07B", markup=False)


async def test_the_installed_gate_stands_behind_every_widget() -> None:
    app = OneStatic()
    assert [type(line_filter) for line_filter in app.get_line_filters()].count(TerminalGate) == 1
    async with app.run_test(size=(30, 3)) as pilot:
        await pilot.pause()
        drawn = [
            strip.render(app.console)
            for strip in app.query_one(Static).render_lines(app.screen.region)
        ]
    assert "A]52;c;aGk=B" in "".join(drawn)
    assert "\x1b]" not in "".join(drawn)


MARKUP = [
    "[/red]", "[red]x[/red]", "[/", "[a='", "[type=x, v={'a[0]'}]", "notes [draft].md", "a[0]=b",
    "[[Link]]", "C:\\[x]", "[$primary]", "[auto]", "[link='http://e']x[/link]",
    "[@click=app.quit]press[/]",
]  # fmt: skip


@pytest.mark.parametrize("text", MARKUP)
def test_helpers_never_read_markup(text: str) -> None:
    assert literal(text).plain == text
    assert literal_line(text).plain == text
    assert literal_text(text).plain == text
    assert not literal(text).spans
    assert not literal_text(text).spans


def test_helpers_sanitise() -> None:
    assert literal("a\x1b\nb").plain == "a␛\nb"
    assert literal_line("a\x1b\nb", 3).plain == "a␛…"
    assert literal_text("日本語\n", 4).plain == "日…"
