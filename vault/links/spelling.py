"""Spells a link anew so that it leads to another path and keeps the form it was written in."""

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from urllib.parse import quote

from vault.links.link import Link
from vault.links.properties import quote_around, quoted_part
from vault.links.scan import leads_to_note
from vault.names import NOTE_SUFFIX, identity_key, stem_of, title_of

_NOT_IN_WIKILINK = re.compile(r"[\[\]|\r\n]|%%")
_PERCENT_OF_LETTERS = re.compile(r"%[89A-Fa-f][0-9A-Fa-f]")
_PLAIN_IN_MARKDOWN = "/!$&'*+,;=:@~-._"
_UNSAFE_IN_ANGLES = re.compile(r"[<>\r\n]")


@dataclass(frozen=True, slots=True)
class Respelling:
    """A link of `text` in the page `from_path`, which led to `old_path` and shall lead to `path`.

    `was_at` is where the page was when the link was written. `is_whole` says that a number sign in
    the target is part of the page's name, `is_titled` that underscores in a file's name are the
    spaces of its title.
    """

    text: str
    link: Link
    was_at: str
    from_path: str
    old_path: str
    path: str
    is_whole: bool = False
    is_titled: bool = False


def whole_name(link: Link) -> Link:
    """Return a link in whose target a number sign is part of the page's name."""
    return replace(link, target=f"{link.target}#{link.fragment}", fragment=None)


def respell(asked: Respelling, leads_there: Callable[[str], bool]) -> str | None:
    """Return what to write at the link's `place`; None when no spelling leads there.

    `leads_there` tells whether a target, decoded, leads to the path from the page.
    """
    spellings = _wiki_targets(asked) if asked.link.is_wikilink else _markdown_targets(asked)
    target = next((each for each in spellings if leads_there(each)), None)
    if target is None:
        return None
    return spelled_as_written(asked.text, asked.link, target, asked.is_whole)


def as_read(link: Link, target: str, is_whole: bool = False) -> Link:
    """Return what a link with another target is read as: a wikilink ends at the first `#`."""
    fragment = None if is_whole else link.fragment
    if link.is_wikilink and "#" in target:
        whole = target if fragment is None else f"{target}#{fragment}"
        target, _, fragment = whole.partition("#")
    return replace(link, target=target.strip(), fragment=fragment)


def spelled_as_written(text: str, link: Link, target: str, is_whole: bool = False) -> str:
    """Return what to write at a link's `place` for another target; the fragment stays."""
    written = text[slice(*link.place)]
    page, mark, fragment = (written, "", "") if is_whole else written.partition("#")
    return _spaced_as(page, _encoded(text, link, target)) + mark + fragment


def _wiki_targets(asked: Respelling) -> Iterator[str]:
    for target in _in_order_of_habit(asked):
        if not _NOT_IN_WIKILINK.search(target):
            yield target


def _in_order_of_habit(asked: Respelling) -> Iterator[str]:
    old = asked.link.target
    if old.startswith(("./", "../")):
        relative = _beside(asked.from_path, asked.path)
        yield _as_named(asked, relative if relative.startswith("../") else f"./{relative}")
    elif old.startswith("/"):
        yield _as_named(asked, f"/{asked.path}")
    elif "/" in old and _is_same_path(old, asked.old_path):
        yield _as_named(asked, asked.path)
    yield from _ends(asked, old.strip("/").count("/") + 1)
    yield _as_named(asked, f"/{asked.path}")


def _ends(asked: Respelling, least: int) -> Iterator[str]:
    """The ends of the new path, from as many parts as were written."""
    parts = asked.path.split("/")
    for count in range(min(least, len(parts)), len(parts) + 1):
        yield _as_named(asked, "/".join(parts[-count:]))


def _markdown_targets(asked: Respelling) -> Iterator[str]:
    old = asked.link.target
    beside = _as_named(asked, _beside(asked.from_path, asked.path))
    if old.startswith("/"):
        yield _as_named(asked, f"/{asked.path}")
    elif is_beside(old, asked.was_at, asked.old_path):
        yield f"./{beside}" if old.startswith("./") and not beside.startswith("../") else beside
    yield from _ends(asked, old.strip("/").count("/") + 1)
    yield beside
    yield _as_named(asked, f"/{asked.path}")


def is_beside(target: str, from_path: str, path: str) -> bool:
    """Whether a target, taken as a path from the folder of `from_path`, is `path`."""
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(from_path), target))
    return _is_same_path(joined, path)


def _beside(from_path: str, path: str) -> str:
    return posixpath.relpath(path, posixpath.dirname(from_path) or ".")


def _is_same_path(written: str, path: str) -> bool:
    return _bare_key(written) == _bare_key(path)


def _bare_key(path: str) -> str:
    bare = path[:-3] if path[-3:].casefold() == NOTE_SUFFIX else path
    return identity_key(bare).replace("_", " ")


def _as_named(asked: Respelling, path: str) -> str:
    """Spell a path with the suffix and the spaces that the link had."""
    old = asked.link.target
    has_suffix = old[-3:].casefold() == NOTE_SUFFIX
    bare = path[:-3] if path[-3:].casefold() == NOTE_SUFFIX else path
    if not has_suffix and leads_to_note(replace(asked.link, target=bare)):
        path = bare
    folder, slash, name = path.rpartition("/")
    if asked.link.is_wikilink and _names_with_spaces(asked):
        title = title_of(name)
        name = title if title == title.strip() else name
    return folder + slash + name


def _names_with_spaces(asked: Respelling) -> bool:
    """Whether the link spelt its page as a title, where the file's name has underscores."""
    if "_" in stem_of(asked.link.target):
        return False
    return asked.is_titled or "_" in stem_of(asked.old_path)


def _encoded(text: str, link: Link, target: str) -> str:
    match link.form:
        case "wikilink":
            return target
        case "property":
            return quoted_part(target, quote_around(text, link))
        case "markdown" | "definition":
            start, end = link.place
            if text[start - 1 : start] == "<" and not _UNSAFE_IN_ANGLES.search(target):
                return target.replace("%", "%25").replace("#", "%23")
            return _percent_encoded(target, _PERCENT_OF_LETTERS.search(text[start:end]) is None)


def _percent_encoded(target: str, is_keeping_letters: bool) -> str:
    if not is_keeping_letters:
        return quote(target, safe=_PLAIN_IN_MARKDOWN)
    return "".join(
        character
        if ord(character) > 0xA0 and character.isprintable()
        else quote(character, safe=_PLAIN_IN_MARKDOWN)
        for character in target
    )


def _spaced_as(page: str, target: str) -> str:
    before = page[: len(page) - len(page.lstrip())]
    after = page[len(page.rstrip()) :]
    return before + target + (after if page.strip() else "")
