"""The commands of `zib chats`; each imports what it needs only when it runs."""

from __future__ import annotations

from typing import Annotated

import typer

chats_app = typer.Typer(
    help="Your chats: list and search them, read, export and import them, delete them.",
    no_args_is_help=True,
)

# In a query -help is a word to leave out, as any other.
_QUERY = {"ignore_unknown_options": True, "help_option_names": ["--help"]}
Json = Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")]
Chat = Annotated[str, typer.Argument(help="A chat's title, or the id that `zib chats list` shows.")]
Several = Annotated[list[str], typer.Argument(help="Titles or ids of chats.")]


@chats_app.command("list")
def list_chats(
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="The most chats.")] = 50,
    tag: Annotated[list[str] | None, typer.Option(help="Only with this tag; repeat.")] = None,
    trash: Annotated[bool, typer.Option("--trash", help="The deleted ones.")] = False,
    json: Json = False,
) -> None:
    """The chats, pinned ones first, then the latest used."""
    from tui.cli.chats.show import run_list

    raise typer.Exit(run_list(limit, tag or [], trash, json))


@chats_app.command()
def show(
    chat: Chat,
    thinking: Annotated[bool, typer.Option("--thinking", help="What was thought, too.")] = False,
    json: Json = False,
) -> None:
    """Print a chat; `conv:HASH` of a message shows its branch."""
    from tui.cli.chats.show import run_show

    raise typer.Exit(run_show(chat, thinking, json))


@chats_app.command(context_settings=_QUERY)
def search(
    query: Annotated[
        list[str],
        typer.Argument(
            help='Words; "phrases"; -without; role: since: until: on: is:pinned tag: model:.'
        ),
    ],
    limit: Annotated[int, typer.Option("--limit", min=1, help="The most messages.")] = 20,
    json: Json = False,
) -> None:
    """Find messages in all chats."""
    from tui.cli.chats.search import run_search

    raise typer.Exit(run_search(" ".join(query), limit, json))


@chats_app.command()
def export(
    chats: Annotated[list[str] | None, typer.Argument(help="Titles or ids; else all.")] = None,
    to: Annotated[str, typer.Option("--to", "-o", help="A file, a folder, or - .")] = "-",
    form: Annotated[
        str, typer.Option("--format", "-f", help="json keeps everything; markdown is to read.")
    ] = "",
    thinking: Annotated[bool, typer.Option("--thinking", help="In Markdown too.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace what is there.")] = False,
) -> None:
    """Write chats as Markdown or JSON."""
    from tui.cli.chats.moving import ExportOptions, run_export

    raise typer.Exit(run_export(ExportOptions(tuple(chats or ()), to, form, thinking, force)))


@chats_app.command("import")
def import_chats(
    source: Annotated[
        str,
        typer.Argument(help="An export of ChatGPT, Claude, LM Studio or zib: file, zip, folder."),
    ],
    json: Json = False,
) -> None:
    """Take chats over from elsewhere; what is there already is left as it is."""
    from tui.cli.chats.moving import run_import

    raise typer.Exit(run_import(source, json))


@chats_app.command()
def rename(
    chat: Chat,
    title: Annotated[list[str], typer.Argument(help="The new title.")],
    json: Json = False,
) -> None:
    """Give a chat a title."""
    from tui.cli.chats.change import run_rename

    raise typer.Exit(run_rename(chat, " ".join(title), json))


@chats_app.command()
def pin(
    chat: Chat,
    off: Annotated[bool, typer.Option("--off", help="No longer.")] = False,
    json: Json = False,
) -> None:
    """Keep a chat at the top."""
    from tui.cli.chats.change import run_pin

    raise typer.Exit(run_pin(chat, not off, json))


@chats_app.command()
def tag(
    chat: Chat,
    tags: Annotated[list[str] | None, typer.Argument(help="The tags; none takes all away.")] = None,
    json: Json = False,
) -> None:
    """Set the tags of a chat."""
    from tui.cli.chats.change import run_tag

    raise typer.Exit(run_tag(chat, tags or [], json))


@chats_app.command()
def delete(chats: Several, json: Json = False) -> None:
    """Put chats into the trash, where they stay for 30 days."""
    from tui.cli.chats.change import run_delete

    raise typer.Exit(run_delete(chats, json))


@chats_app.command()
def restore(chats: Several, json: Json = False) -> None:
    """Take chats out of the trash."""
    from tui.cli.chats.change import run_restore

    raise typer.Exit(run_restore(chats, json))


@chats_app.command()
def purge(
    chats: Annotated[
        list[str] | None, typer.Argument(help="Else all that is in the trash.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: Json = False,
) -> None:
    """Delete for good: the text is in no file of zib's any more."""
    from tui.cli.chats.change import run_purge

    raise typer.Exit(run_purge(chats or [], yes, json))


@chats_app.command()
def info(json: Json = False) -> None:
    """How many chats there are, where, how large, and what was set aside."""
    from tui.cli.chats.show import run_info

    raise typer.Exit(run_info(json))
