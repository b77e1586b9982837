"""Every verb of the program: keys, help and slash commands are all made from this table."""

from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding


@dataclass(frozen=True, slots=True)
class Verb:
    """Something the user can do. `id` is the public name for rebinding keys.

    `argument` names what the slash command takes; a verb that needs it has no key, in brackets it
    may be left out. The key of one that `is_first` means it also where a text box has a use for it.
    """

    id: str
    label: str
    help: str
    keys: str = ""
    slash: str = ""
    argument: str = ""
    is_in_footer: bool = False
    is_first: bool = False

    @property
    def action(self) -> str:
        """The screen's action method, without its prefix."""
        return self.id.replace("-", "_")

    @property
    def needs_argument(self) -> bool:
        """Whether it means nothing without its argument."""
        return bool(self.argument) and not self.argument.startswith("[")

    @property
    def binding(self) -> Binding:
        """As Textual wants it."""
        return Binding(
            self.keys,
            self.action,
            self.label,
            id=self.id,
            show=self.is_in_footer,
            priority=self.is_first,
            tooltip=self.help,
        )


VERBS = (
    Verb("help", "Help", "Show keys and commands", "f1", "/help", is_in_footer=True),
    Verb("new-chat", "New", "Start a new chat", "ctrl+n", "/new", is_in_footer=True),
    Verb(
        "temporary-chat",
        "Temporary chat",
        "Start a chat of which nothing is written to the disk",
        "",
        "/temp",
    ),
    Verb(
        "list-chats",
        "Chats",
        "All chats: search, open, rename, pin, delete, export",
        "ctrl+s",
        "/chats",
        "[WORDS]",
        is_in_footer=True,
    ),
    Verb(
        "choose-persona",
        "Persona",
        "Choose who answers this chat: instructions, sampling and memory in one",
        "",
        "/persona",
        "[NAME]",
    ),
    Verb(
        "system-prompt",
        "Instructions",
        "Give this chat instructions of its own",
        "",
        "/system",
        "[TEXT]",
    ),
    Verb(
        "sampling",
        "Sampling",
        "How the words of this chat are chosen: temperature, top p, seed, length",
        "",
        "/sampling",
        "[NAME VALUE]",
    ),
    Verb(
        "chat-memory",
        "Memory",
        "Have this chat use the wiki or not: on, off, scope tag:trip",
        "",
        "/memory",
        "[on|off|scope FILTER]",
    ),
    Verb(
        "compact-chat",
        "Compact",
        "Sum up the beginning of this chat, so that it fits the context; nothing is lost",
        "",
        "/compact",
    ),
    Verb("resume-chat", "Resume", "Go on with the chat that was used last", "", "/resume"),
    Verb(
        "choose-message",
        "Messages",
        "Choose a message of the chat: copy, edit, regenerate, fork, delete, quote it",
        "alt+up",
        "/messages",
    ),
    Verb(
        "find-in-chat",
        "Find in chat",
        "Find words in the open chat: counted, marked, one after the other",
        "alt+f",
        "/find",
        "[WORDS]",
    ),
    Verb(
        "toggle-gauge", "Gauge", "Show or hide the memory gauge", "f2", "/gauge", is_in_footer=True
    ),
    Verb(
        "what-if",
        "What if",
        "Plan another context length, KV bits or model without loading it",
        "",
        "/what-if",
    ),
    Verb(
        "toggle-wiki",
        "Wiki",
        "Show the wiki beside the chat, alone, or not at all",
        "f3",
        "/wiki",
        is_in_footer=True,
    ),
    Verb("edit-article", "Edit", "Edit the open article", "f4", "/edit", is_in_footer=True),
    Verb(
        "choose-model",
        "Model",
        "Choose a model, see what each costs, or get another one",
        "f5",
        "/model",
        "[NAME]",
        is_in_footer=True,
    ),
    Verb(
        "jump-article",
        "Jump",
        "Jump to an article by some letters of its name",
        "f6",
        "/jump",
        "[NAME]",
        is_in_footer=True,
        is_first=True,
    ),
    Verb(
        "search-wiki",
        "Search",
        "Search in the text of all articles",
        "f7",
        "/search",
        "[WORDS]",
        is_in_footer=True,
        is_first=True,
    ),
    Verb(
        "stop-or-back",
        "Stop",
        "Stop the answer and keep what was said; or go back to the prompt",
        "escape",
        "/stop",
        is_in_footer=True,
    ),
    Verb("toggle-thinking", "Thinking", "Let the model think or not", "ctrl+t", "/thinking"),
    Verb("expand-thinking", "Expand", "Unfold or fold all thinking", "ctrl+o", "/expand"),
    Verb("copy-or-clear", "Copy", "Copy, else clear, else stop, twice quits", "ctrl+c"),
    Verb("copy-answer", "Copy answer", "Copy the last answer", "ctrl+y", "/copy"),
    Verb("open-article", "Open", "Open an article", "", "/open", "NAME"),
    Verb("create-article", "Create", "Create an article and edit it", "", "/create", "[TITLE]"),
    Verb(
        "toggle-panel",
        "Panel",
        "Show or hide contents, backlinks, links, mentions and graph of the article",
        "f9",
        "/panel",
        is_first=True,
    ),
    Verb(
        "rename-article",
        "Rename",
        "Give the article another title; links to it follow",
        "",
        "/rename",
        "[TITLE]",
    ),
    Verb(
        "move-article",
        "Move",
        "Move the article into another folder; links to it follow",
        "",
        "/move",
        "[FOLDER]",
    ),
    Verb("delete-article", "Delete", "Delete the article; it can be had back", "", "/delete"),
    Verb(
        "edit-properties",
        "Properties",
        "Change the properties and the infobox of the article line by line",
        "",
        "/properties",
    ),
    Verb("talk-page", "Talk", "Open the talk page of the article, or go back", "", "/talk"),
    Verb(
        "save-with-message",
        "Save with message",
        "Save what is in the editor, with a message for the history",
        "",
        "/save",
        "[MESSAGE]",
    ),
    Verb(
        "toggle-preview",
        "Preview",
        "Show the page beside its text in the editor",
        "alt+p",
        "/preview",
    ),
    Verb(
        "edit-outside",
        "Your editor",
        "Edit the article in the program that VISUAL or EDITOR names",
        "ctrl+g",
        "/editor",
    ),
    Verb(
        "conflicts",
        "Conflicts",
        "List the copies that conflicts left, and settle them",
        "",
        "/conflicts",
    ),
    Verb("drafts", "Drafts", "Bring back text that was typed and not saved", "", "/drafts"),
    Verb("today", "Today", "Open the page of the day", "f8", "/today", is_first=True),
    Verb(
        "page-history",
        "History",
        "What the article was, who changed it, and the ways back",
        "alt+h",
        "/history",
        is_first=True,
    ),
    Verb(
        "remember",
        "Remember",
        "Propose a text, the chosen message or the last answer for the wiki",
        "",
        "/remember",
        "[TEXT]",
    ),
    Verb(
        "save-chat",
        "Save chat to wiki",
        "Propose what you stated in this chat for the wiki",
        "",
        "/save-chat",
    ),
    Verb(
        "correct-article",
        "Correct article",
        "Propose another wording of a passage of an article the answer is about",
        "",
        "/correct",
    ),
    Verb(
        "review-edits",
        "Review",
        "Decide on edits that were proposed",
        "alt+e",
        "/review",
        is_first=True,
    ),
    Verb("visited", "Visited", "Choose one of the articles that were open", "", "/visited"),
    Verb("lint-wiki", "Check", "Find what is wrong with the wiki, and mend it", "", "/lint"),
    Verb(
        "rename-tag",
        "Rename tag",
        "Give a tag another name on every page",
        "",
        "/rename-tag",
        "[TAG NEW]",
    ),
    Verb(
        "undo-in-wiki",
        "Undo",
        "Take back the last change of many pages made here",
        "",
        "/undo-wiki",
    ),
    Verb(
        "switch-wiki",
        "Switch wiki",
        "Open another wiki, or any folder of Markdown files",
        "",
        "/vault",
        "[PATH]",
    ),
    Verb(
        "open-outside",
        "Open outside",
        "Open the article in Obsidian, or its folder in the file manager",
        "",
        "/outside",
    ),
    Verb("unload-model", "Unload", "Free the model's memory", "", "/unload"),
    Verb("change-theme", "Theme", "List the themes, or choose one", "", "/theme", "[NAME]"),
    Verb("quit", "Quit", "Leave", "ctrl+q", "/quit", is_in_footer=True),
)

BINDINGS = [verb.binding for verb in VERBS if verb.keys]


def find_slash(text: str) -> tuple[Verb, str] | None:
    """The verb and argument of a slash command, or None when there is no such command."""
    word, _, argument = text.strip().partition(" ")
    for verb in VERBS:
        if verb.slash and verb.slash == word:
            return verb, argument.strip()
    return None
