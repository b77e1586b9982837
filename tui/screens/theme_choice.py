"""Switching themes by name."""

from __future__ import annotations

from collections.abc import Collection

from textual.app import App


def known_themes(names: Collection[str]) -> str:
    """The sentence that lists what can be chosen."""
    return f"Themes: {', '.join(sorted(names))}."


def unknown_theme(name: str, names: Collection[str]) -> str:
    """The sentence about a name that is none of them."""
    return f"There is no theme called {name}. {known_themes(names)}"


def choose_theme(app: App[None], name: str) -> None:
    """Switch, or say what there is."""
    known = app.available_themes
    if not name:
        app.notify(known_themes(known), markup=False)
    elif name in known:
        app.theme = name
    else:
        app.notify(unknown_theme(name, known), severity="warning", markup=False)
