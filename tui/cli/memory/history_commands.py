"""The commands of `zib memory` about what pages were; each imports what it needs when it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from tui.cli.memory.commands import Json, Page, Wiki

history_app = typer.Typer()

Version = Annotated[str, typer.Argument(help="@1 is one version back, @2 two; or a hash.")]


@history_app.command()
def history(
    page: Page,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many versions.")] = 20,
    wiki: Wiki = None,
    json: Json = False,
) -> None:
    """The versions of a page, the newest first, under all the names it had."""
    from tui.cli.memory.versions import run_history

    raise typer.Exit(run_history({"wiki": wiki}, page, limit, json))


@history_app.command()
def diff(
    page: Page,
    old: Version = "",
    new: Annotated[str, typer.Argument(help="The later version; else the page as it is.")] = "",
    words: Annotated[bool, typer.Option("--words", "-w", help="Mark words within lines.")] = False,
    wiki: Wiki = None,
    json: Json = False,
) -> None:
    """What changed in a page since a version, or between two."""
    from tui.cli.memory.versions import run_diff

    raise typer.Exit(run_diff({"wiki": wiki}, page, (old, new), words, json))


@history_app.command()
def blame(page: Page, wiki: Wiki = None, json: Json = False) -> None:
    """Each line of a page with the version that brought it."""
    from tui.cli.memory.versions import run_blame

    raise typer.Exit(run_blame({"wiki": wiki}, page, json))


@history_app.command()
def restore(
    page: Page,
    version: Version,
    section: Annotated[str, typer.Option("--section", "-s", help="Only this section.")] = "",
    wiki: Wiki = None,
    json: Json = False,
) -> None:
    """Make a page, or a section of it, what it was; deleted pages too."""
    from tui.cli.memory.take_back import run_restore

    raise typer.Exit(run_restore({"wiki": wiki}, page, version, section, json))


@history_app.command()
def undo(
    commit: Annotated[str, typer.Argument(help="@0 is the wiki's newest commit; or a hash.")],
    wiki: Wiki = None,
    json: Json = False,
) -> None:
    """Take back what one commit did; what came later stays."""
    from tui.cli.memory.take_back import run_undo

    raise typer.Exit(run_undo({"wiki": wiki}, commit, json))


@history_app.command()
def rollback(
    run: Annotated[str, typer.Argument(help="A run, as the history names it: synthesis run 7.")],
    wiki: Wiki = None,
    json: Json = False,
) -> None:
    """Take back everything one run did, in one commit."""
    from tui.cli.memory.take_back import run_rollback

    raise typer.Exit(run_rollback({"wiki": wiki}, run, json))
