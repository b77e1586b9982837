"""`zib memory new|edit`: write in the wiki, a commit for each command."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import click

from tui.cli.memory.opened import EXIT_FAILED, page_called, with_vault
from tui.cli.memory.printed import commit_told, pages_told, print_json, say, tell_pages
from tui.cli.run import print_error
from vault.article.page import parse_article
from vault.article.section_edits import replace_section
from vault.article.splices import apply_edits
from vault.errors import VaultError
from vault.files import ArticleFile
from vault.history.commit import Committed
from vault.names import displayable, stem_of, title_of
from vault.saving import Outcome
from vault.templates import page_from_template
from vault.vault import Vault
from vault.written import Written

Flags = Mapping[str, object]
_OUTCOMES = {
    Outcome.UNCHANGED: "nothing changed",
    Outcome.SAVED: "saved",
    Outcome.MERGED: "saved, together with a change made meanwhile",
    Outcome.RECREATED: "saved; it had been deleted meanwhile",
    Outcome.CONFLICT_COPY: "kept beside it: a change made meanwhile cannot be merged with yours",
}


@dataclass(frozen=True, slots=True)
class NewPage:
    """What was asked for: `text` follows the heading or the template, `-` is standard input."""

    title: str
    folder: str | None
    template: str
    text: str | None


def run_new(flags: Flags, page: NewPage, is_json: bool) -> int:
    """Make a page."""

    def make(vault: Vault) -> int:
        body, whole = _given(page.text) or "", None
        if page.template:
            now = datetime.now().astimezone()
            whole = page_from_template(vault, page.template, title_of(page.title), now)
            whole += f"\n{body.rstrip()}\n" if body.strip() else ""
        written = vault.create(page.title, page.folder, text=whole, body=body)
        edited, skipped = written.relinked, written.skipped
        if is_json:
            file = written.saved.file
            told = {"path": displayable(file.path), "outcome": "created", "sha256": file.sha256}
            print_json({**told, **pages_told(edited, skipped), **commit_told(written.commit)})
        else:
            say(f"{displayable(written.saved.file.path)} is made.")
            tell_pages(edited, skipped)
            _tell_missing_commit(written)
        return EXIT_FAILED if skipped else 0

    return with_vault(flags, make)


def run_edit(flags: Flags, name: str, section: str, text: str | None, is_json: bool) -> int:
    """Replace a page or a section of it by `text`, or open it in your editor."""

    def change(vault: Vault) -> int:
        path = page_called(vault, name)
        file = vault.read(path)
        if file.text is None or file.read_only_reason is not None:
            raise VaultError(f"“{path}” cannot be changed: {file.read_only_reason}.")
        given = _given(text)
        new = _edited(file, section, given)
        if new is None:
            print_error("Nothing was changed.")
            return EXIT_FAILED
        try:
            return tell_written(vault.save(path, new, file), is_json)
        except VaultError as error:
            if given is not None:
                raise
            raise VaultError(f"{error} What you wrote is in {_kept(new)}.") from error

    return with_vault(flags, change)


def tell_written(written: Written, is_json: bool, recreated: str = "") -> int:
    """Say what became of a save; the exit code. `recreated` says it of a page that was gone."""
    saved = written.saved
    path = displayable(saved.file.path)
    commit = written.commit
    if is_json:
        told = {"path": path, "outcome": saved.outcome.name.lower(), "sha256": saved.file.sha256}
        print_json({**told, **pages_told(written.relinked, written.skipped), **commit_told(commit)})
    else:
        is_back = saved.outcome is Outcome.RECREATED and recreated
        say(f"{path}: {recreated if is_back else _OUTCOMES[saved.outcome]}.")
        tell_pages(written.relinked, written.skipped)
        _tell_missing_commit(written)
    return EXIT_FAILED if saved.outcome is Outcome.CONFLICT_COPY else 0


def _tell_missing_commit(written: Written) -> None:
    if written.commit is not None and not isinstance(written.commit, Committed):
        print_error(written.commit.message)


def _edited(file: ArticleFile, section: str, text: str | None) -> str | None:
    """The page's new text; None when the editor was left without a change."""
    assert file.text is not None  # checked by who calls
    if not section:
        return _in_editor(file.text, file) if text is None else text
    article = parse_article(file.text)
    found = article.section(section)
    if found is None:
        raise VaultError(f"“{file.path}” has no section “{section}”; see zib memory toc.")
    body = file.text[found.body : found.end]
    new = _in_editor(body, file) if text is None else text
    return None if new is None else apply_edits(file.text, replace_section(article, found, new))


def _in_editor(text: str, file: ArticleFile) -> str | None:
    if not sys.stdin.isatty():
        raise VaultError("There is no terminal for an editor: give the text with --text, or - .")
    try:
        new = click.edit(text, extension=".md")
    except click.ClickException as error:
        raise VaultError(
            f"“{title_of(stem_of(file.path))}” was not changed: {error.format_message()}"
        ) from error
    if new is not None and text and not text.endswith(("\n", "\r")):
        # Editors end the last line; that is no change of the user's.
        return new.removesuffix("\n")
    return new


def _kept(text: str) -> str:
    """Put a text that could not be saved into a file that stays."""
    with tempfile.NamedTemporaryFile("wb", prefix="zib-", suffix=".md", delete=False) as file:
        file.write(text.encode("utf-8", "replace"))
    return file.name


def _given(text: str | None) -> str | None:
    """The text of the command line, or all of standard input for `-`."""
    if text != "-":
        return text
    return sys.stdin.buffer.read().decode("utf-8", "replace")
