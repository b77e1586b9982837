"""The themes that come with the program: complete, legible, documented."""

import re
from itertools import pairwise

import pytest
from textual.app import App, ComposeResult
from textual.color import Color
from textual.theme import Theme
from textual.widgets import Static

from tui.themes import (
    DARK,
    LIGHT,
    OWN_VARIABLES,
    builtin_themes_dir,
    load_themes,
    theme_variable_defaults,
)

BUILTIN = load_themes([builtin_themes_dir()])
NAMES = sorted(BUILTIN.themes)

ON_ANY_GROUND = {
    "foreground", "text", "text-muted", "foreground-muted", "text-primary", "text-secondary",
    "text-accent",
    "text-success", "text-warning", "text-error", "user-turn", "assistant-turn", "thinking-text",
    "notice-text", "tool-chip", "recall-chip", "memory-link", "wanted-link", "external-link",
    "article-title", "diff-added", "diff-removed", "unsaved-mark", "gauge-warn", "gauge-critical",
    "pane-title", "status-text", "key-hint", "link-color", "markdown-h1-color", "markdown-h2-color",
    "markdown-h3-color", "markdown-h4-color", "footer-foreground", "footer-key-foreground",
    "footer-description-foreground",
}  # fmt: skip
GROUNDS = (
    "background", "surface", "user-turn-background", "chip-background", "infobox-background",
    "status-background", "footer-background",
)  # fmt: skip
PAIRS = [
    ("match-text", "match-background"), ("block-cursor-foreground", "block-cursor-background"),
    ("block-cursor-blurred-foreground", "block-cursor-blurred-background"),
    ("input-cursor-foreground", "input-cursor-background"), ("foreground", "panel"),
    ("input-selection-foreground", "input-selection-background"), ("foreground", "panel-lighten-1"),
    ("button-color-foreground", "primary"), ("button-color-foreground", "error"),
    ("button-color-foreground", "success"), ("button-color-foreground", "warning"),
    ("link-color-hover", "link-background-hover"), ("foreground", "block-hover-background"),
]  # fmt: skip
BAR = ["gauge-weights", "gauge-kv", "gauge-kv-limit", "gauge-transient", "gauge-reserve"]


def palette(name: str) -> dict[str, str]:
    theme = BUILTIN.themes[name]
    own = theme_variable_defaults(theme)
    return own | theme.to_color_system().generate() | theme.variables


def painted(value: str, ground: Color) -> Color:
    """The solid colour that a value gives on a ground."""
    if value.startswith("auto"):
        return ground + ground.get_contrast_text(float(value.split()[1].rstrip("%")) / 100)
    colour, _, alpha = value.partition(" ")
    parsed = Color.parse(colour)
    return ground + (parsed.multiply_alpha(float(alpha.rstrip("%")) / 100) if alpha else parsed)


def luminance(colour: Color) -> float:
    channels = [value / 255 for value in colour.rgb]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Color, other: Color) -> float:
    """The ratio of WCAG 2."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_that_of_wcag() -> None:
    assert contrast(Color.parse("#000"), Color.parse("#fff")) == pytest.approx(21)
    assert contrast(Color.parse("#777"), Color.parse("#fff")) == pytest.approx(4.48, abs=0.01)


def test_there_is_a_light_and_a_dark_one_without_a_problem() -> None:
    assert BUILTIN.problems == ()
    assert NAMES == [DARK, LIGHT]
    assert BUILTIN.themes[DARK].dark
    assert not BUILTIN.themes[LIGHT].dark


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ground", GROUNDS)
def test_text_is_legible_on_every_ground(name: str, ground: str) -> None:
    colours = palette(name)
    below = painted(colours[ground], Color.parse(colours["background"]))
    poor = {
        text: round(contrast(painted(colours[text], below), below), 2)
        for text in ON_ANY_GROUND
        if contrast(painted(colours[text], below), below) < 4.5
    }
    assert poor == {}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("text", "ground"), PAIRS)
def test_text_is_legible_on_its_own_ground(name: str, text: str, ground: str) -> None:
    colours = palette(name)
    below = painted(colours[ground], Color.parse(colours["surface"]))
    assert contrast(painted(colours[text], below), below) >= 4.5


@pytest.mark.parametrize("name", NAMES)
def test_placeholders_are_fainter_but_readable(name: str) -> None:
    colours = palette(name)
    for ground in ("background", "surface"):
        below = Color.parse(colours[ground])
        faint = contrast(painted(colours["text-disabled"], below), below)
        assert 3 <= faint < contrast(painted(colours["text-muted"], below), below)


@pytest.mark.parametrize("name", NAMES)
def test_parts_of_the_memory_bar_can_be_told_apart(name: str) -> None:
    colours = {part: Color.parse(value) for part, value in palette(name).items() if part in BAR}
    free = Color.parse(palette(name)["gauge-free"])
    ground = Color.parse(palette(name)["background"])
    for part in BAR:
        # What is only foreseen is paler on purpose.
        least = 1.5 if part == "gauge-kv-limit" else 2.2
        assert contrast(colours[part], free) >= least, part
    assert contrast(free, ground) >= 1.2
    for left, right in pairwise(BAR):
        apart = sum(abs(a - b) for a, b in zip(colours[left].rgb, colours[right].rgb, strict=True))
        assert apart >= 90, (left, right)


@pytest.mark.parametrize("name", NAMES)
def test_a_theme_sets_every_variable_of_ours_and_documents_it(name: str) -> None:
    assert set(OWN_VARIABLES) <= set(BUILTIN.themes[name].variables)
    text = (builtin_themes_dir() / f"{name}.toml").read_text(encoding="utf-8")
    documented = set(re.findall(r"[a-z]+(?:-[a-z]+)+", text.split("name =")[0]))
    assert set(OWN_VARIABLES) <= documented


class Swatches(App[None]):
    """Uses every variable of ours in CSS, as the app may."""

    CSS = "\n".join(
        f".{name} {{ color: ${name}; background: ${name}; border: round ${name}; }}"
        for name in OWN_VARIABLES
    )

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theme_variable_defaults(self.current_theme)

    def compose(self) -> ComposeResult:
        for name in OWN_VARIABLES:
            yield Static("x", classes=name)


async def test_every_theme_of_ours_and_of_textual_draws() -> None:
    app = Swatches()
    for theme in BUILTIN.themes.values():
        app.register_theme(theme)
    async with app.run_test(size=(20, 10)) as pilot:
        for name in app.available_themes:
            app.theme = name
            await pilot.pause()
        app.theme = LIGHT
        await pilot.pause()
        drawn = app.query_one(".memory-link").styles.color
        assert drawn == Color.parse(BUILTIN.themes[LIGHT].variables["memory-link"])


def test_defaults_follow_the_theme() -> None:
    red = Theme(name="red", primary="#102030")
    assert theme_variable_defaults(red)["gauge-weights"] == "#102030"
    assert theme_variable_defaults().keys() == OWN_VARIABLES.keys()
