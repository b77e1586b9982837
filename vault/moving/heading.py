"""The heading of a page that gets another name."""

from vault.article.blocks import read_layout
from vault.article.headings import read_headings
from vault.article.splices import Edit
from vault.links.resolve import page_key
from vault.names import stem_of, title_of


def heading_edit(text: str, old_path: str, new_path: str) -> list[Edit]:
    """Rename the first heading too when it was the page's old name."""
    old, new = title_of(stem_of(old_path)), title_of(stem_of(new_path))
    if old == new:
        return []
    headings = read_headings(read_layout(text))
    first = next((heading for heading in headings if heading.level == 1), None)
    if first is None or first.is_nested or page_key(first.source) != page_key(old):
        return []
    start = text.find(first.source, first.start, first.end)
    return [Edit(start, start + len(first.source), new)] if start >= 0 else []
