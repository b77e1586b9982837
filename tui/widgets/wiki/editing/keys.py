"""The keys that only the editor has; help and palette are made from this table, too."""

from __future__ import annotations

from textual.binding import Binding

EDITOR_KEYS = (
    Binding("ctrl+s", "save", "Save", id="save-article", tooltip="Save and commit"),
    Binding("escape", "leave", "Done", id="leave-editor", tooltip="Leave the editor"),
    Binding("ctrl+f", "find", "Find", id="find-in-article", tooltip="Find and replace"),
    Binding("alt+g", "go_to_line", "Line", False, id="go-to-line", tooltip="Go to a line"),
    Binding("alt+b", "bold", "Bold", False, id="bold", tooltip="Bold, or no longer"),
    Binding("alt+i", "italic", "Italic", False, id="italic", tooltip="Italic, or no longer"),
    Binding("alt+c", "code", "Code", False, id="code", tooltip="Code, or no longer"),
    Binding("alt+k", "link", "Link", False, id="link", tooltip="A link to a page, or no longer"),
    Binding("alt+t", "task", "Task", False, id="task", tooltip="A task, done, or open again"),
    Binding(
        "alt+x",
        "extract",
        "Extract",
        False,
        id="extract-page",
        tooltip="Make the selection a page of its own and leave a link",
    ),
    Binding("shift+tab", "outdent", "Outdent", False, id="outdent", tooltip="Move to the left"),
    Binding("ctrl+home", "document_start", "Top", False, id="document-start", tooltip="To the top"),
    Binding("ctrl+end", "document_end", "End", False, id="document-end", tooltip="To the end"),
)
