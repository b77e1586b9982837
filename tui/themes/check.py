"""Whether what a theme file says can be used. Textual itself finds out only when it draws."""

import dataclasses
import functools
from collections.abc import Mapping

from textual.color import Color, ColorParseError
from textual.theme import Theme

from tui.settings.keys import nearest
from tui.themes.variables import OWN_VARIABLES

_FIELDS = {field.name: field for field in dataclasses.fields(Theme)}
_KINDS: Mapping[str, tuple[type, ...]] = {"bool": (bool,), "float": (float, int)}
_STYLES = frozenset({
    "none", "not", "bold", "b", "italic", "i", "underline", "u", "underline2", "strike", "s",
    "reverse", "r", "dim", "d", "blink",
})  # fmt: skip


class BadTheme(Exception):
    """What is wrong with one file; `str()` is a sentence for the user."""


def to_theme(fields: Mapping[str, object]) -> Theme:
    """The theme of a file's keys; raises BadTheme for the first that cannot be used."""
    for name, value in fields.items():
        _check_field(name, value)
    if "primary" not in fields:
        raise BadTheme("It must set primary, the main colour.")
    # Every field was checked against its type just now.
    theme = Theme(**fields)  # type: ignore[arg-type]  # wrong types raise, and that is reported
    usual = _usual_variables()
    known = usual.keys() | OWN_VARIABLES.keys()
    for name, value in theme.variables.items():
        if name not in known:
            raise BadTheme(f"[variables] has an unknown name {name!r}.{nearest(name, known)}")
        _check_variable(name, value, usual.get(name, ""))
    try:
        theme.to_color_system().generate()
    except (ColorParseError, ValueError) as error:
        raise BadTheme(f"Its colours cannot be used together: {error}.") from error
    return theme


@functools.cache
def _usual_variables() -> Mapping[str, str]:
    """Textual's variables with their values in a theme that sets none."""
    return Theme(name="usual", primary="#0178D4").to_color_system().generate()


def _check_field(name: str, value: object) -> None:
    field = _FIELDS.get(name)
    if field is None:
        raise BadTheme(f"It has an unknown key {name!r}.{nearest(name, _FIELDS)}")
    if name == "variables":
        if not isinstance(value, dict):
            raise BadTheme("variables must be a table: write [variables] on a line of its own.")
        return
    kinds = _KINDS.get(str(field.type), (str,))
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        words = {bool: "true or false", float: "a number", str: "text in quotes"}[kinds[0]]
        raise BadTheme(f"{name} must be {words}; it is {value!r}.")
    if name == "name":
        _check_name(str(value))
    elif kinds == (str,):
        _check_colour(name, str(value))
    elif kinds != (bool,) and not 0 <= float(str(value)) <= 1:
        raise BadTheme(f"{name} must be a number from 0 to 1; it is {value!r}.")


def _check_name(name: str) -> None:
    # Textual takes a comma for a list of names to try.
    if not name.strip() or "," in name or not name.isprintable():
        raise BadTheme(f"Its name {name!r} must be plain text without commas.")


def _check_variable(name: str, value: object, usual: str) -> None:
    if not isinstance(value, str):
        raise BadTheme(f"{name} must be text in quotes; it is {value!r}.")
    if name.endswith(("-style", "-style-hover")):
        unknown = [word for word in value.split() if word not in _STYLES]
        if unknown or not value.strip():
            raise BadTheme(f"{name} must be text styles such as bold; it is {value!r}.")
        return
    bare = _without_alpha(value)
    # Textual takes these two only where it has them itself, and fails as it draws elsewhere.
    if bare not in {"auto", "initial"} or not usual.startswith(bare):
        _check_colour(name, bare)


def _without_alpha(value: str) -> str:
    colour, _, alpha = value.strip().rpartition(" ")
    number = alpha.removesuffix("%")
    has_alpha = alpha.endswith("%") and number.replace(".", "", 1).isdecimal()
    return colour if colour and has_alpha else value


def _check_colour(name: str, value: str) -> None:
    try:
        Color.parse(value)
    except ColorParseError as error:
        raise BadTheme(f"{name} must be a colour such as #e0a458; it is {value!r}.") from error
