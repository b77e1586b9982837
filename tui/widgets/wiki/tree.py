"""The tree of folders and notes."""

from __future__ import annotations

from collections.abc import Iterator

from textual import on
from textual.message import Message
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from tui.text.content import literal_text
from vault.listing import Folder, VaultListing

_OPEN_AT_START = frozenset({"articles"})


class WikiTree(Tree[str]):
    """Notes by folder; a node's data is a note's path, or a folder's path with a slash."""

    class NoteChosen(Message):
        """The user chose a note."""

        def __init__(self, path: str) -> None:
            super().__init__()
            self.path = path

    def __init__(self, id: str | None = None) -> None:
        super().__init__(literal_text("wiki"), data="/", id=id)
        self.show_root = False
        self.guide_depth = 2
        self._shown: VaultListing | None = None

    def show_listing(self, listing: VaultListing) -> None:
        """Draw the notes, keeping open folders and the cursor; nothing when nothing changed."""
        names = _names(listing)
        if self._shown is not None and _names(self._shown) == names:
            self._shown = listing
            return
        open_folders = {node.data for node in self._nodes_below(self.root) if node.is_expanded}
        chosen = self.cursor_node.data if self.cursor_node else None
        is_first = self._shown is None
        self._shown = listing
        self.clear()
        self._fill(self.root, listing.top)
        for node in list(self._nodes_below(self.root)):
            is_wanted = node.data in open_folders or (
                is_first and node.data is not None and node.data.rstrip("/") in _OPEN_AT_START
            )
            if node.allow_expand and is_wanted:
                node.expand()
        # Lines exist only once the tree has been drawn.
        self.call_after_refresh(self._put_cursor_on, chosen)

    @on(Tree.NodeSelected)
    def choose(self, event: Tree.NodeSelected[str]) -> None:
        """Enter or click on a note."""
        event.stop()
        if event.node.data and not event.node.data.endswith("/"):
            self.post_message(self.NoteChosen(event.node.data))

    def _fill(self, node: TreeNode[str], folder: Folder) -> None:
        for child in folder.folders:
            below = node.add(literal_text(child.name), data=f"{child.path}/")
            self._fill(below, child)
        for note in folder.notes:
            node.add_leaf(literal_text(note.title), data=note.path)

    def _nodes_below(self, node: TreeNode[str]) -> Iterator[TreeNode[str]]:
        for child in node.children:
            yield child
            yield from self._nodes_below(child)

    def _put_cursor_on(self, path: str | None) -> None:
        if path is None:
            return
        for node in self._nodes_below(self.root):
            if node.data == path:
                self.move_cursor(node)
                return


def _names(listing: VaultListing) -> tuple[str, ...]:
    return tuple(note.path for note in listing.notes)
