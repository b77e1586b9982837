"""Errors of the vault package.

VaultError
├── VaultUnusable        the wiki folder itself cannot be opened or set up
├── NotAllowed           a name or path that may not be used here
├── ConsentNeeded        a folder that is not ours, which the user has not let us write to
├── ArticleMissing       there is no such article
├── ArticleExists        an article of that name is already there
├── ReadOnlyArticle      the article may be read but not changed
├── EditRefused          the edit cannot be made safely; the page is as it was
├── PageChanged          a page changed while a change of several pages was planned
├── ReadFailed           the system refused to read a file
├── SaveFailed           nothing was written; the old file is intact
├── ToolRefused          a tool was asked for what it cannot give
├── DraftFailed          what is typed cannot be kept for a crash
├── ReviewFailed         a proposal cannot be kept, found or decided on
├── SearchUnavailable    the index cannot be kept; the articles are unaffected
├── CannotUndo           later changes stand in the way (vault/history/history.py)
└── HistoryUnavailable   git cannot be asked; the articles are unaffected
"""


class VaultError(Exception):
    """Base of everything the vault package raises; `str()` is a sentence for the user."""


class VaultUnusable(VaultError):
    """The wiki folder cannot be opened or set up."""


class NotAllowed(VaultError):
    """A name or path that may not be used; the message says what to change."""


class ConsentNeeded(VaultError):
    """The folder was there before zib, and the user has not agreed that it may be changed."""


class ArticleMissing(VaultError):
    """The article does not exist (any more)."""


class ArticleExists(VaultError):
    """An article with this name, or one that only differs in case, is already there."""


class ReadOnlyArticle(VaultError):
    """The article may be read but not changed; the message says why."""


class EditRefused(VaultError):
    """The edit cannot be made without harming the page; the message says why."""


class PageChanged(VaultError):
    """A page is not what it was when a change of several pages was planned."""


class ReadFailed(VaultError):
    """The system refused to read a file or folder of the wiki."""


class SaveFailed(VaultError):
    """Nothing was saved: the file on disk is as it was and no temporary file is left."""


class ToolRefused(VaultError):
    """A tool cannot answer so; the message tells a model how to go on."""


class DraftFailed(VaultError):
    """A draft cannot be kept or dropped; saving still works."""


class ReviewFailed(VaultError):
    """A proposal cannot be kept, found or decided on; the wiki is unaffected."""


class SearchUnavailable(VaultError):
    """The index cannot be opened or filled; articles can still be read and saved."""


class HistoryUnavailable(VaultError):
    """The history cannot be read; articles can still be read and saved."""
