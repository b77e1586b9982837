"""The commands of `zib memory review`; each imports what it needs when it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from tui.cli.memory.commands import Json, Wiki

review_app = typer.Typer(help="Edits that were proposed: look at them and decide.")

Id = Annotated[str, typer.Argument(help="The beginning of a proposal's id is enough.")]


@review_app.callback(invoke_without_command=True)
def review(
    context: typer.Context,
    decided: Annotated[bool, typer.Option("--decided", help="What is decided already.")] = False,
    wiki: Wiki = None,
    json: Json = False,
) -> None:
    """Without a command: what waits for your word."""
    if context.invoked_subcommand is not None:
        return
    from tui.cli.memory.review import run_review_list

    raise typer.Exit(run_review_list({"wiki": wiki}, decided, json))


@review_app.command()
def show(proposal: Id, wiki: Wiki = None, json: Json = False) -> None:
    """One proposal, with what it would change."""
    from tui.cli.memory.review import run_review_show

    raise typer.Exit(run_review_show({"wiki": wiki}, proposal, json))


@review_app.command()
def accept(
    proposal: Id,
    part: Annotated[list[int] | None, typer.Option("--part", "-p", help="Only this part.")] = None,
    wiki: Wiki = None,
    json: Json = False,
) -> None:
    """Write it into the wiki, in one commit."""
    from tui.cli.memory.review import run_review_accept

    raise typer.Exit(run_review_accept({"wiki": wiki}, proposal, part or (), json))


@review_app.command()
def reject(
    proposal: Id,
    reason: Annotated[str, typer.Option("--reason", "-r", help="Why not; is remembered.")] = "",
    wiki: Wiki = None,
    json: Json = False,
) -> None:
    """Keep it out of the wiki."""
    from tui.cli.memory.review import run_review_reject

    raise typer.Exit(run_review_reject({"wiki": wiki}, proposal, reason, json))


@review_app.command("take-back")
def take_back(proposal: Id, wiki: Wiki = None, json: Json = False) -> None:
    """Undo a decision: what was written goes, later changes stay."""
    from tui.cli.memory.review import run_review_take_back

    raise typer.Exit(run_review_take_back({"wiki": wiki}, proposal, json))
