"""Errors of the conversation store.

ConversationError
├── StoreUnusable     the file cannot be opened; nothing was changed
├── StoreNewer        a newer zib made the file
├── StoreDamaged      the file is damaged; `mend` sets it aside and saves what can be saved
├── StoreGone         the file was deleted or replaced while it was open
├── NotStored         the change was not written; the file is as it was
├── ChatMissing       there is no such chat
├── MessageMissing    there is no such message, or not in this state
├── Ambiguous         a short name means several chats or messages
├── ImportRefused     the file cannot be read as chats
└── ExportRefused     nothing was exported
    └── ExportExists  because a file of that name is there
"""

from vault.errors import VaultError


class ConversationError(VaultError):
    """Base of everything the conversation store raises; `str()` is a sentence for the user."""


class StoreUnusable(ConversationError):
    """The file or its folder cannot be opened; nothing was changed."""


class StoreNewer(StoreUnusable):
    """The file was written by a newer zib than this one."""


class StoreDamaged(ConversationError):
    """The file is damaged; `Conversations.mend` saves what can be saved."""


class StoreGone(ConversationError):
    """The file was deleted, moved or replaced while it was open."""


class NotStored(ConversationError):
    """The change was not written; what was stored before is as it was."""


class ChatMissing(ConversationError):
    """There is no such chat (any more)."""


class MessageMissing(ConversationError):
    """There is no such message (any more), or it is not in the state for this."""


class Ambiguous(ConversationError):
    """A short name means several; the message lists them."""


class ImportRefused(ConversationError):
    """A file cannot be read as chats at all."""


class ExportRefused(ConversationError):
    """Nothing was exported."""


class ExportExists(ExportRefused):
    """There is a file of that name, and it was left as it is."""
