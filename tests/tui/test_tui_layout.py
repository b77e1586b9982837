"""Which panes are seen, and one table behind keys, help and slash commands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from textual.binding import Binding
from textual.widgets import Static

from engine.script import Reply
from tests.tui.conftest import MakeApp, screen_text, wait_until
from tui.app import ZibApp
from tui.screens.help import HelpScreen
from tui.screens.help_rows import shown_key
from tui.screens.layout import ALL_CLASSES, PaneLayout, Place
from tui.screens.main import MainScreen
from tui.verbs import BINDINGS, VERBS, Verb, find_slash

NARROW, MEDIUM, WIDE = 40, 80, 130
PLACES: tuple[Place, ...] = ("hidden", "side", "full")
# On older terminals these are Tab, Enter, Backspace and Escape; tmux keeps the last for itself.
TRAPS = {"ctrl+i", "ctrl+m", "ctrl+h", "ctrl+[", "ctrl+left_square_bracket", "ctrl+b"}

Change = Callable[[PaneLayout, int], PaneLayout]


@pytest.mark.parametrize(
    ("columns", "before", "after"),
    [
        (NARROW, ("side", "side"), ("full", "side")),
        (NARROW, ("full", "side"), ("hidden", "side")),
        (NARROW, ("hidden", "side"), ("full", "side")),
        (NARROW, ("hidden", "full"), ("full", "hidden")),
        (MEDIUM, ("side", "side"), ("full", "side")),
        (MEDIUM, ("full", "side"), ("hidden", "side")),
        (MEDIUM, ("hidden", "side"), ("side", "side")),
        (MEDIUM, ("side", "full"), ("full", "hidden")),
        (WIDE, ("side", "hidden"), ("full", "hidden")),
        (WIDE, ("full", "hidden"), ("hidden", "hidden")),
        (WIDE, ("hidden", "hidden"), ("side", "hidden")),
    ],
)
def test_the_wiki_key(
    columns: int, before: tuple[Place, Place], after: tuple[Place, Place]
) -> None:
    assert PaneLayout(*before).with_wiki_toggled(columns) == PaneLayout(*after)


@pytest.mark.parametrize(
    ("columns", "before", "after"),
    [
        (NARROW, ("side", "side"), ("side", "full")),
        (NARROW, ("side", "full"), ("side", "hidden")),
        (NARROW, ("full", "hidden"), ("hidden", "full")),
        (MEDIUM, ("side", "side"), ("hidden", "side")),
        (MEDIUM, ("side", "hidden"), ("hidden", "side")),
        (MEDIUM, ("hidden", "side"), ("hidden", "hidden")),
        (MEDIUM, ("hidden", "full"), ("hidden", "side")),
        (MEDIUM, ("full", "hidden"), ("hidden", "side")),
        (WIDE, ("full", "hidden"), ("side", "side")),
        (WIDE, ("full", "side"), ("side", "side")),
        (WIDE, ("side", "side"), ("side", "hidden")),
    ],
)
def test_the_gauge_key(
    columns: int, before: tuple[Place, Place], after: tuple[Place, Place]
) -> None:
    assert PaneLayout(*before).with_gauge_toggled(columns) == PaneLayout(*after)


@pytest.mark.parametrize(
    ("columns", "before", "after"),
    [
        (NARROW, ("hidden", "full"), ("full", "hidden")),
        (NARROW, ("side", "side"), ("full", "hidden")),
        (MEDIUM, ("hidden", "side"), ("side", "side")),
        (MEDIUM, ("full", "side"), ("full", "side")),
        (WIDE, ("side", "hidden"), ("side", "hidden")),
    ],
)
def test_an_article_that_is_opened_is_seen(
    columns: int, before: tuple[Place, Place], after: tuple[Place, Place]
) -> None:
    assert PaneLayout(*before).with_wiki_seen(columns) == PaneLayout(*after)


@pytest.mark.parametrize(
    "change",
    [
        PaneLayout.with_wiki_toggled,
        PaneLayout.with_gauge_toggled,
        PaneLayout.with_wiki_seen,
        lambda layout, _: layout.with_chat_seen(),
    ],
)
@pytest.mark.parametrize("columns", [NARROW, MEDIUM, WIDE])
@pytest.mark.parametrize("wiki", PLACES)
@pytest.mark.parametrize("gauge", PLACES)
def test_two_panes_never_want_the_whole_screen(
    change: Change, columns: int, wiki: Place, gauge: Place
) -> None:
    if (wiki, gauge) == ("full", "full"):
        return
    after = change(PaneLayout(wiki, gauge), columns)
    assert (after.wiki, after.gauge) != ("full", "full")
    assert len(after.classes & ALL_CLASSES) == 2


@pytest.mark.parametrize("wiki", PLACES)
@pytest.mark.parametrize("gauge", PLACES)
def test_going_back_to_the_prompt_shows_the_chat(wiki: Place, gauge: Place) -> None:
    assert "full" not in PaneLayout(wiki, gauge).with_chat_seen().classes
    after = PaneLayout(wiki, gauge).with_chat_seen()
    assert "full" not in {after.wiki, after.gauge}


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("columns", "keys", "seen"),
    [
        (NARROW, (), {"chat"}),
        (NARROW, ("f3",), {"wiki"}),
        (NARROW, ("f3", "escape"), {"chat"}),
        (NARROW, ("f2",), {"memory"}),
        (NARROW, ("f3", "f2"), {"memory"}),
        (MEDIUM, (), {"wiki", "chat"}),
        (MEDIUM, ("f3",), {"wiki"}),
        (MEDIUM, ("f3", "f3"), {"chat", "memory"}),
        (WIDE, (), {"wiki", "chat", "memory"}),
        (WIDE, ("f2",), {"wiki", "chat"}),
        (WIDE, ("f3",), {"wiki"}),
        (WIDE, ("f3", "f3", "f2"), {"chat"}),
    ],
)
async def test_what_is_on_the_screen(
    make_app: MakeApp, columns: int, keys: tuple[str, ...], seen: set[str]
) -> None:
    app = make_app()
    async with app.run_test(size=(columns, 30)) as pilot:
        await pilot.press(*keys)
        await pilot.pause()
        panes = {name: app.screen.query_one(f"#{name}") for name in ("wiki", "chat", "memory")}
        assert {name for name, pane in panes.items() if pane.region.area} == seen
        assert sum(pane.region.width for pane in panes.values()) == columns


async def test_a_pane_that_was_full_survives_a_resize(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test(size=(NARROW, 30)) as pilot:
        await pilot.press("f3")
        await pilot.resize_terminal(WIDE, 30)
        await pilot.pause()
        assert app.screen.query_one("#wiki").region.width == WIDE
        await pilot.press("escape")
        await pilot.pause()
        assert app.screen.query_one("#chat").region.width > 0


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.id)
def test_every_verb_can_be_done_and_reached(verb: Verb) -> None:
    method = getattr(MainScreen, f"action_{verb.action}", None)
    assert callable(method or getattr(ZibApp, f"action_{verb.action}", None))
    assert verb.keys or verb.slash
    assert verb.label
    assert verb.help
    assert not (verb.keys and verb.needs_argument)


@pytest.mark.parametrize("field", ["id", "keys", "slash", "label"])
def test_no_two_verbs_share(field: str) -> None:
    values = Counter(getattr(verb, field) for verb in VERBS if getattr(verb, field))
    assert [value for value, count in values.items() if count > 1] == []


def test_no_key_means_something_else_to_a_terminal() -> None:
    bindings = [binding for binding in MainScreen.BINDINGS if isinstance(binding, Binding)]
    keys = {key for binding in bindings for key in binding.key.split(",")}
    assert keys >= {key for binding in BINDINGS for key in binding.key.split(",")}
    assert keys & TRAPS == set()


def test_every_public_name_of_a_binding_is_unique() -> None:
    names = [binding.id for binding in MainScreen.BINDINGS if isinstance(binding, Binding)]
    assert all(names)
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("text", "id", "argument"),
    [
        ("/help", "help", ""),
        ("  /open   Some page  ", "open-article", "Some page"),
        ("/theme zibaldone-light", "change-theme", "zibaldone-light"),
        ("/opennn x", None, None),
        ("/", None, None),
        ("/HELP", None, None),
        ("help", None, None),
        ("", None, None),
    ],
)
def test_slash_commands(text: str, id: str | None, argument: str | None) -> None:
    found = find_slash(text)
    assert (found and found[0].id, found and found[1]) == (id, argument)


async def test_the_help_page_lists_every_verb(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test(size=(100, 60)) as pilot:
        await pilot.press("f1")
        await wait_until(pilot, lambda: isinstance(app.screen, HelpScreen), "the help page")
        text = str(app.screen.query_one("#help-text", Static).content)
        for verb in VERBS:
            assert verb.help in text
            assert shown_key(verb.keys) in text
            assert verb.slash in text
        await pilot.press("escape")
        await wait_until(pilot, lambda: isinstance(app.screen, MainScreen), "the main screen")


async def test_every_key_reaches_its_verb_from_the_prompt(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    for verb in VERBS:
        # The app asks the screen to leave, whatever the screen.
        method = "leave" if verb.id == "quit" else f"action_{verb.action}"
        monkeypatch.setattr(MainScreen, method, lambda _, name=verb.id: done.append(name))
    # In the prompt this key hands over the prompt, not the article.
    reached = [verb for verb in VERBS if verb.keys and verb.id != "edit-outside"]
    app = make_app()
    async with app.run_test(size=(WIDE, 40)) as pilot:
        for verb in reached:
            await pilot.press(verb.keys)
        await pilot.pause()
    assert done == [verb.id for verb in reached]


async def test_a_key_the_user_moved_moves_in_the_prompt_too(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    monkeypatch.setattr(MainScreen, "action_copy_answer", lambda _: done.append("copied"))
    app = make_app(keys={"copy-answer": "f12"})
    async with app.run_test(size=(WIDE, 40)) as pilot:
        await pilot.press("ctrl+y")
        assert done == []
        await pilot.press("f12")
        assert done == ["copied"]


async def test_slash_commands_run_from_the_prompt(make_app: MakeApp) -> None:
    app = make_app(Reply("", "fine"))
    async with app.run_test(size=(WIDE, 40), notifications=True) as pilot:
        await pilot.press(*"/theme zibaldone-light", "enter")
        await wait_until(pilot, lambda: app.theme == "zibaldone-light", "the light theme")
        await pilot.press(*"/open", "enter")
        await wait_until(pilot, lambda: "Usage: /open NAME" in screen_text(pilot), "the usage")
        await pilot.press(*"/gauge", "enter")
        await wait_until(pilot, lambda: not app.screen.query_one("#memory").region.area, "no gauge")
