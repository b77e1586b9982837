"""The commands of `zib memory`; each imports what it needs only when it runs."""

from __future__ import annotations

from typing import Annotated

import typer

memory_app = typer.Typer(
    help="The wiki: look at its pages, change them, keep their links right.",
    no_args_is_help=True,
)

Wiki = Annotated[str | None, typer.Option("--wiki", help="The folder of the wiki.")]
# In a query -help is a word to leave out, as any other.
_QUERY = {"ignore_unknown_options": True, "help_option_names": ["--help"]}
Json = Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")]
Page = Annotated[str, typer.Argument(help="A page's name, title, alias or path.")]
Dry = Annotated[bool, typer.Option("--dry-run", "-n", help="Say what would happen, do nothing.")]
Text = Annotated[
    str | None, typer.Option("--text", "-t", help="The text; - reads it from standard input.")
]


@memory_app.command()
def init(
    pages: Annotated[
        str, typer.Option(help="In a folder of yours: where zib puts pages of its own.")
    ] = "",
    history_of: Annotated[
        str, typer.Option(help="In a folder you moved: the path it had, to keep its history.")
    ] = "",
    wiki: Wiki = None,
    json: Json = False,
) -> None:
    """Set the wiki up, or let zib change the notes of a folder you had before."""
    from tui.cli.memory.beginning import run_init

    raise typer.Exit(run_init({"wiki": wiki}, pages, history_of, json))


@memory_app.command()
def status(wiki: Wiki = None, json: Json = False) -> None:
    """Where the wiki is, what is in it, what is in no commit yet."""
    from tui.cli.memory.show import run_status

    raise typer.Exit(run_status({"wiki": wiki}, json))


@memory_app.command("list")
def list_pages(
    folder: Annotated[str, typer.Argument(help="Only this folder.")] = "",
    wiki: Wiki = None,
    json: Json = False,
) -> None:
    """Every page, by its path."""
    from tui.cli.memory.show import run_list

    raise typer.Exit(run_list({"wiki": wiki}, folder, json))


@memory_app.command()
def read(page: Page, wiki: Wiki = None, json: Json = False) -> None:
    """Print a page; a pipe gets its very bytes."""
    from tui.cli.memory.show import run_read

    raise typer.Exit(run_read({"wiki": wiki}, page, json))


@memory_app.command()
def toc(page: Page, wiki: Wiki = None, json: Json = False) -> None:
    """The headings of a page."""
    from tui.cli.memory.show import run_toc

    raise typer.Exit(run_toc({"wiki": wiki}, page, json))


@memory_app.command()
def section(
    page: Page,
    heading: Annotated[str, typer.Argument(help="A heading, its anchor, or Parent#Heading.")],
    wiki: Wiki = None,
    json: Json = False,
) -> None:
    """Print one section of a page with what is below it."""
    from tui.cli.memory.show import run_section

    raise typer.Exit(run_section({"wiki": wiki}, page, heading, json))


@memory_app.command(context_settings=_QUERY)
def search(
    query: Annotated[
        list[str],
        typer.Argument(
            help='Words; "phrases"; -without; title: heading: tag: category: path: #tag.'
        ),
    ],
    limit: Annotated[int, typer.Option("--limit", min=1, help="The most pages.")] = 10,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say why each page is where it is.")
    ] = False,
    wiki: Wiki = None,
    json: Json = False,
) -> None:
    """Find pages by what they say and what they are called."""
    from tui.cli.memory.search import run_search

    raise typer.Exit(run_search({"wiki": wiki}, " ".join(query), limit, explain, json))


@memory_app.command()
def links(
    page: Page,
    back: Annotated[bool, typer.Option("--back", "-b", help="The links that lead here.")] = False,
    wiki: Wiki = None,
    json: Json = False,
) -> None:
    """Where the links of a page lead, or which pages link to it."""
    from tui.cli.memory.links import run_links

    raise typer.Exit(run_links({"wiki": wiki}, page, back, json))


@memory_app.command()
def graph(
    page: Annotated[
        str | None, typer.Argument(help="The pages beside this one, and unlinked mentions of it.")
    ] = None,
    orphans: Annotated[bool, typer.Option("--orphans", help="Pages nobody links to.")] = False,
    wanted: Annotated[bool, typer.Option("--wanted", help="Pages nobody wrote yet.")] = False,
    dead_ends: Annotated[bool, typer.Option("--dead-ends", help="Pages without a link.")] = False,
    way: Annotated[
        tuple[str, str] | None, typer.Option("--way", help="The links from a page to another.")
    ] = None,
    wiki: Wiki = None,
    json: Json = False,
) -> None:
    """How the pages hang together; without a question how many there are."""
    from tui.cli.memory.graph import GraphQuestion, run_graph

    question = GraphQuestion(page, orphans, wanted, dead_ends, way)
    raise typer.Exit(run_graph({"wiki": wiki}, question, json))


@memory_app.command()
def lint(
    kind: Annotated[
        list[str] | None, typer.Option("--kind", "-k", help="Only findings of this kind.")
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Mend what is sure.")] = False,
    wiki: Wiki = None,
    json: Json = False,
) -> None:
    """What is wrong with the pages and their links; exit code 1 when there is a fault."""
    from tui.cli.memory.lint import run_lint

    raise typer.Exit(run_lint({"wiki": wiki}, kind or (), fix, json))


@memory_app.command()
def mcp(wiki: Wiki = None) -> None:
    """Let other programs look things up in the wiki: its tools over MCP, read-only."""
    from tui.cli.memory.serve import run_mcp

    raise typer.Exit(run_mcp({"wiki": wiki}))


@memory_app.command()
def new(
    title: Annotated[str, typer.Argument(help="The page's title.")],
    folder: Annotated[str | None, typer.Option(help="Where to put it.")] = None,
    template: Annotated[str, typer.Option(help="A page of the templates folder.")] = "",
    text: Text = None,
    wiki: Wiki = None,
    json: Json = False,
) -> None:
    """Make a page, empty or from a template, and commit it."""
    from tui.cli.memory.change import NewPage, run_new

    raise typer.Exit(run_new({"wiki": wiki}, NewPage(title, folder, template, text), json))


@memory_app.command()
def edit(
    page: Page,
    section: Annotated[str, typer.Option("--section", "-s", help="Only this section.")] = "",
    text: Text = None,
    wiki: Wiki = None,
    json: Json = False,
) -> None:
    """Change a page in your editor, or replace its text, and commit it."""
    from tui.cli.memory.change import run_edit

    raise typer.Exit(run_edit({"wiki": wiki}, page, section, text, json))


@memory_app.command()
def rename(
    page: Page,
    title: Annotated[str, typer.Argument(help="Its new title.")],
    dry: Dry = False,
    wiki: Wiki = None,
    json: Json = False,
) -> None:
    """Give a page another title; every link to it follows."""
    from tui.cli.memory.moves import run_rename

    raise typer.Exit(run_rename({"wiki": wiki}, page, title, dry, json))


@memory_app.command()
def move(
    page: Page,
    folder: Annotated[str, typer.Argument(help="Its new folder; / for the top one.")],
    dry: Dry = False,
    wiki: Wiki = None,
    json: Json = False,
) -> None:
    """Put a page into another folder; every link to it follows, and its own links too."""
    from tui.cli.memory.moves import run_move

    raise typer.Exit(run_move({"wiki": wiki}, page, folder, dry, json))


@memory_app.command()
def delete(
    page: Page,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry: Dry = False,
    wiki: Wiki = None,
    json: Json = False,
) -> None:
    """Delete a page; the history or the trash keeps it, and links to it stay."""
    from tui.cli.memory.moves import run_delete

    raise typer.Exit(run_delete({"wiki": wiki}, page, yes, dry, json))
