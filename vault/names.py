"""Article names and vault paths: strict for what is created, tolerant for what exists.

A relative path is a `str` with `/` between components. File names that are not UTF-8 keep
their surrogate escapes, so that the path still opens the file.
"""

import re
import unicodedata
from urllib.parse import unquote

from vault.errors import NotAllowed

MAX_STEM_BYTES = 200
NOTE_SUFFIX = ".md"

_FORBIDDEN = re.compile(r'[<>:"/\\|?*#^\[\]]|%%')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|(?:com|lpt)[0-9¹²³])(?:\..*)?", re.IGNORECASE)
_SURROGATE = re.compile("[\ud800-\udfff]")
_JOINERS = "\u200c\u200d"
# Code points that HFS+ ignores in names, so that `.g<ZWNJ>it` is `.git` there.
_IGNORED_BY_HFS = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")


def identity_key(relative: str) -> str:
    """Return what two paths share when a case- or normalisation-blind disk would merge them."""
    folded = unicodedata.normalize("NFC", relative).casefold()
    return unicodedata.normalize("NFC", folded)


def is_note_name(name: str) -> bool:
    """Tell whether a file name is that of a Markdown note and not an editor's leftover."""
    return name[-3:].casefold() == NOTE_SUFFIX and not name.startswith((".", "#")) and name != ".md"


def stem_of(relative: str) -> str:
    """Return the file name of a note without its folder and `.md`."""
    name = relative.rpartition("/")[2]
    return name[:-3] if name[-3:].casefold() == NOTE_SUFFIX else name


def title_of(stem: str) -> str:
    """Return the title of an article: its stem with underscores as spaces."""
    return stem.replace("_", " ")


def displayable(name: str) -> str:
    """Return a name that can be encoded: bytes that are not UTF-8 become U+FFFD."""
    return _SURROGATE.sub("\ufffd", name)


def stem_for(title: str, *, keeps_spaces: bool = False) -> str:
    """Return the file stem for a new article called `title`; refuse names that do not travel.

    The name must be usable on Linux, macOS and Windows and inside a wikilink. Spaces become
    underscores, unless it `keeps_spaces`: then underscores stay, too.
    """
    title = unicodedata.normalize("NFC", title)
    title = " ".join((title if keeps_spaces else title.replace("_", " ")).split())
    if title[-3:].casefold() == NOTE_SUFFIX:
        title = title[:-3].rstrip()
    problem = _problem_with(title)
    if problem:
        raise NotAllowed(f"{_quoted(title)} cannot be an article name: {problem}.")
    return title if keeps_spaces else title.replace(" ", "_")


def check_folder_name(name: str) -> str:
    """Return the name of a folder that is to be made; refuse one that does not travel."""
    problem = _problem_with(name) or ("it ends with a space" if name != name.strip() else None)
    if problem:
        raise NotAllowed(f"{_quoted(name)} cannot be the name of a folder: {problem}.")
    return unicodedata.normalize("NFC", name)


def check_path(relative: str) -> str:
    """Return `relative` when it is a plain path inside a vault; it may name odd existing files."""
    if not relative or "\0" in relative:
        raise NotAllowed("An empty path, or one with a NUL character, names no article.")
    if relative.startswith("/"):
        raise NotAllowed(f"{_quoted(relative)} is outside the wiki; use a path inside it.")
    for component in relative.split("/"):
        if component in {"", ".", ".."}:
            raise NotAllowed(f"{_quoted(relative)} is not a plain path inside the wiki.")
        if _is_hidden(component):
            raise NotAllowed(f"{_quoted(relative)} is hidden or belongs to git and is left alone.")
    return relative


def check_note_path(relative: str) -> str:
    """Return `relative` when it is the path of a Markdown note inside a vault."""
    check_path(relative)
    if relative[-3:].casefold() != NOTE_SUFFIX:
        raise NotAllowed(f"{_quoted(relative)} is not a Markdown file: its name must end in .md.")
    return relative


def _problem_with(title: str) -> str | None:
    size = len(title.encode("utf-8", "replace"))
    bare = _IGNORED_BY_HFS.sub("", title)
    problems = (
        (not bare, "it is empty"),
        (bare.startswith("."), "it starts with a dot"),
        (title.endswith("."), "it ends with a dot"),
        (any(map(_is_invisible, title)), "it contains a control or invisible character"),
        (_RESERVED.fullmatch(title) is not None, "Windows reserves that name for a device"),
        (size > MAX_STEM_BYTES, f"it takes {size} bytes and {MAX_STEM_BYTES} is the most"),
    )
    for spelling in (title, unicodedata.normalize("NFKC", title), unquote(title)):
        found = _FORBIDDEN.search(spelling)
        if found:
            return f"it contains “{found.group()}”, which a file name or a wikilink cannot hold"
        if ".." in spelling and spelling != title:
            return "it hides two dots in another spelling"
    return next((sentence for is_true, sentence in problems if is_true), None)


def _is_invisible(character: str) -> bool:
    category = unicodedata.category(character)
    return category in {"Cc", "Cs", "Zl", "Zp"} or (category == "Cf" and character not in _JOINERS)


def _is_hidden(component: str) -> bool:
    plain = _IGNORED_BY_HFS.sub("", component).casefold()
    # NTFS answers to the short name git~1, and to any name with a stream or final dots added.
    return plain.startswith(".") or plain.partition(":")[0].rstrip(". ") == "git~1"


def _quoted(name: str) -> str:
    shown = "".join("\ufffd" if _is_invisible(c) else c for c in displayable(name))
    return f"“{shown[:60]}…”" if len(shown) > 60 else f"“{shown}”"
