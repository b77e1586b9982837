"""A page as the tools know it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page as the index knows it; `date` is empty when the page gives none.

    `title` is what the page calls itself; elsewhere than in our wikis files may be named otherwise.
    """

    path: str
    title: str
    date: str
    modified_ns: int
    redirect: str
