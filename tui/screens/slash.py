"""Running the slash commands that are typed into the prompt."""

from __future__ import annotations

from textual.screen import Screen

from tui.verbs import find_slash


async def run_slash(screen: Screen[None], text: str) -> None:
    """Run the action behind `text` on this screen, or say why that cannot be."""
    found = find_slash(text)
    if found is None:
        screen.notify(
            f"No such command: {text}. /help lists them.", severity="warning", markup=False
        )
        return
    verb, argument = found
    if verb.needs_argument and not argument:
        screen.notify(f"Usage: {verb.slash} {verb.argument}", severity="warning", markup=False)
    elif verb.argument and argument:
        await screen.run_action(f"{verb.action}({argument!r})")
    else:
        await screen.run_action(verb.action)
