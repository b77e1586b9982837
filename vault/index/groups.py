"""Which pages share a category or a tag, as the index knows it."""

from dataclasses import dataclass

from vault.index.index import Index


@dataclass(frozen=True, slots=True)
class PageGroup:
    """A category or tag as it was first spelt, and its pages in the order of their titles."""

    name: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageGroups:
    """Every category and every tag, in the order of their names."""

    categories: tuple[PageGroup, ...] = ()
    tags: tuple[PageGroup, ...] = ()


def read_groups(index: Index) -> PageGroups:
    """Read them; pages that are left out of searches are left out here."""
    return PageGroups(_read(index, "category"), _read(index, "tag"))


def _read(index: Index, table: str) -> tuple[PageGroup, ...]:
    names: dict[str, str] = {}
    paths: dict[str, list[str]] = {}
    with index.reading() as connection:
        for key, text, path in connection.execute(
            f"SELECT {table}.key, {table}.text, page.path FROM {table}"
            f" JOIN page ON page.id = {table}.page WHERE NOT is_excluded"
            f" ORDER BY {table}.key, page.title, page.path"
        ):
            names.setdefault(key, text)
            paths.setdefault(key, []).append(path)
    return tuple(PageGroup(names[key], tuple(dict.fromkeys(found))) for key, found in paths.items())
