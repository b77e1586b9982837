"""Writes commit messages from text we do not trust: a title may come from a model."""

import re

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


def message(subject: str, actor: str) -> str:
    """Return a commit message of one line and the trailer `Actor`, which nobody else can write."""
    line = _one_line(subject, 200) or "Change articles"
    who = _one_line(actor, 100) or "unknown"
    return f"{line}\n\nActor: {who}\n"


def _one_line(text: str, most: int) -> str:
    return " ".join(_UNPRINTABLE.sub(" ", text).split())[:most]
