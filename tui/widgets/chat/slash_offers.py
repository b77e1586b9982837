"""The commands that fit what was typed after a slash."""

from __future__ import annotations

from dataclasses import dataclass

from textual.fuzzy import FuzzySearch

from tui.verbs import VERBS, Verb

_SHORTEST_IN_HELP = 3


@dataclass(frozen=True, slots=True)
class SlashOffer:
    """A command; `letters` are the places in it that were typed."""

    verb: Verb
    letters: tuple[int, ...] = ()

    @property
    def usage(self) -> str:
        """The command with what it takes."""
        return f"{self.verb.slash} {self.verb.argument}".strip()


def slash_offers(text: str) -> tuple[SlashOffer, ...]:
    """Commands for an unfinished word: those that begin so first, then those that have its letters.

    Then those whose help speaks of it.
    """
    if not text.startswith("/") or text.startswith("//") or any(map(str.isspace, text)):
        return ()
    typed = text[1:].lower()
    search = FuzzySearch()
    ranked: list[tuple[int, float, int, SlashOffer]] = []
    for number, verb in enumerate(VERBS):
        name = verb.slash[1:]
        if not name:
            continue
        if name.startswith(typed):
            letters = tuple(range(1, len(typed) + 1))
            ranked.append((0, 0.0, number, SlashOffer(verb, letters)))
            continue
        score, places = search.match(typed, name)
        if score:
            ranked.append((1, -score, number, SlashOffer(verb, tuple(at + 1 for at in places))))
        elif len(typed) >= _SHORTEST_IN_HELP and typed in verb.help.lower():
            ranked.append((2, 0.0, number, SlashOffer(verb)))
    return tuple(offer for *_, offer in sorted(ranked, key=lambda each: each[:3]))


def slash_hint(text: str) -> SlashOffer | None:
    """The command whose argument is being typed."""
    word, space, _ = text.partition(" ")
    if not space or "\n" in text:
        return None
    found = (verb for verb in VERBS if verb.slash and verb.slash == word and verb.argument)
    return next((SlashOffer(verb) for verb in found), None)


def is_command(text: str) -> bool:
    """Whether a text is a command without its argument."""
    return any(verb.slash and verb.slash == text.strip() for verb in VERBS)
