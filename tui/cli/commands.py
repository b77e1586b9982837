"""The commands of `zib`; each imports what it needs only when it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from tui.cli.chats.commands import chats_app
from tui.cli.memory.commands import memory_app
from tui.cli.memory.history_commands import history_app
from tui.cli.memory.review_commands import review_app

app = typer.Typer(
    name="zib",
    help="Chat with a local model whose memory is your own Markdown wiki.",
    no_args_is_help=False,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Model = Annotated[str | None, typer.Option("--model", help="A model folder; else the built-in.")]
Wiki = Annotated[str | None, typer.Option("--wiki", help="The folder of the memory wiki.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")]


def print_version(is_asked: bool) -> None:
    """Print the version and leave."""
    if is_asked:
        from importlib.metadata import version

        typer.echo(f"zib {version('zibaldone')}")
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option("--version", callback=print_version, is_eager=True, help="Print the version."),
]


@app.callback(invoke_without_command=True)
def open_app(
    context: typer.Context, model: Model = None, wiki: Wiki = None, version: Version = False
) -> None:
    """Without a command: open the app."""
    if context.invoked_subcommand is None:
        from tui.cli.run import run_app

        raise typer.Exit(run_app({"model": model, "wiki": wiki}))


@app.command()
def ask(  # noqa: PLR0913, PLR0917  its arguments are the options of the command
    question: Annotated[
        list[str] | None, typer.Argument(help="The question; `-` or nothing reads stdin.")
    ] = None,
    model: Model = None,
    system: Annotated[str | None, typer.Option(help="A system prompt.")] = None,
    temperature: Annotated[
        float | None,
        typer.Option("--temperature", "--temp", help="0 always gives one answer."),
    ] = None,
    top_p: Annotated[
        float | None, typer.Option(help="Choose among the likeliest that reach this share.")
    ] = None,
    top_k: Annotated[
        int | None, typer.Option(help="Choose among so many of the likeliest.")
    ] = None,
    min_p: Annotated[
        float | None, typer.Option(help="Leave out what is this much less likely than the best.")
    ] = None,
    stop: Annotated[
        list[str] | None, typer.Option(help="Ends the answer where it occurs; may be repeated.")
    ] = None,
    max_tokens: Annotated[int | None, typer.Option(help="A ceiling for the answer.")] = None,
    seed: Annotated[int | None, typer.Option(help="Makes a random answer repeatable.")] = None,
    schema: Annotated[
        str | None,
        typer.Option(metavar="FILE|JSON", help="The answer is JSON of this JSON schema."),
    ] = None,
    regex: Annotated[
        str | None, typer.Option(help="The answer matches this regular expression, all of it.")
    ] = None,
    choice: Annotated[
        list[str] | None, typer.Option(help="The answer is one of these; repeat for each.")
    ] = None,
    chat: Annotated[
        str, typer.Option(metavar="CHAT|new", help="Go on with a stored chat, or store a new one.")
    ] = "",
    tools: Annotated[
        bool, typer.Option("--tools/--no-tools", help="Let the model look things up in the wiki.")
    ] = False,
    memory: Annotated[
        bool | None,
        typer.Option(
            "--memory/--no-memory",
            help="Read what the wiki says about it first; done by itself where no form is asked.",
        ),
    ] = None,
    wiki: Wiki = None,
    json: Json = False,
) -> None:
    """Ask one question and print the answer; text piped in joins the question."""
    from tui.cli.ask import AskOptions, run_ask
    from tui.cli.form import FormOptions

    form = FormOptions(schema, regex, tuple(choice or ()))
    flags = {
        "model": model,
        "wiki": wiki,
        "chat.system_prompt": system,
        "chat.temperature": temperature,
        "chat.top_p": top_p,
        "chat.top_k": top_k,
        "chat.min_p": min_p,
        "chat.seed": seed,
        "chat.stop": stop or None,
        "chat.max_tokens": max_tokens,
    }
    asked = AskOptions(
        " ".join(question or []), json, form, chat=chat, has_tools=tools, has_memory=memory
    )
    raise typer.Exit(run_ask(asked, flags))


@app.command()
def gauge(
    once: Annotated[bool, typer.Option("--once", help="Print the gauge and leave.")] = False,
    json: Json = False,
) -> None:
    """Watch what the running zib costs in memory: KV cache, context, speed, plan."""
    from tui.cli.gauge import run_gauge

    raise typer.Exit(run_gauge(once, json))


@app.command()
def fit(
    model: Annotated[str, typer.Argument(help="A name, a part of it, or a model folder.")],
    ctx: Annotated[
        int | None, typer.Option("--ctx", min=1, help="Tokens of context; else as many as fit.")
    ] = None,
    kv_bits: Annotated[int | None, typer.Option(help="4 or 8: a quantized KV cache.")] = None,
    rows: Annotated[int, typer.Option(min=1, help="Conversations at once.")] = 1,
    memory: Annotated[
        float | None, typer.Option(help="Usable memory in GiB, instead of this machine's.")
    ] = None,
    draft: Annotated[str, typer.Option(help="A model that guesses ahead: name or folder.")] = "",
    json: Json = False,
) -> None:
    """Tell what a model would cost before it is loaded; exit 1 when it does not fit."""
    from tui.cli.fit import FitOptions, run_fit

    raise typer.Exit(run_fit(FitOptions(model, ctx, kv_bits, rows, memory, draft, json)))


@app.command()
def doctor(json: Json = False) -> None:
    """Check this machine: what runs, how fast, and what would make it better."""
    from tui.cli.doctor import run_doctor

    raise typer.Exit(run_doctor(json))


@app.command()
def paths() -> None:
    """Where everything is kept."""
    from tui.cli.configuration import print_paths

    raise typer.Exit(print_paths())


config_app = typer.Typer(help="Settings in force, and where each comes from.")
app.add_typer(config_app, name="config")


@config_app.callback(invoke_without_command=True)
def config(context: typer.Context) -> None:
    """Without a command: every setting with its source."""
    if context.invoked_subcommand is None:
        from tui.cli.configuration import print_settings

        raise typer.Exit(print_settings())


@config_app.command("get")
def config_get(key: Annotated[str, typer.Argument(help="As in config.toml: chat.top_p")]) -> None:
    """Print one setting."""
    from tui.cli.configuration import print_setting

    raise typer.Exit(print_setting(key))


@config_app.command("path")
def config_path(
    create: Annotated[bool, typer.Option(help="Write a commented file if there is none.")] = False,
) -> None:
    """Print where config.toml is, or would be."""
    from tui.cli.configuration import print_config_path

    raise typer.Exit(print_config_path(create))


@app.command()
def bench(
    names: Annotated[list[str] | None, typer.Argument(help="Which; all without a name.")] = None,
    json: Json = False,
) -> None:
    """Measure against plain mlx-lm in the same run; exit 1 when a figure misses its target."""
    from tui.cli.bench import run_bench

    raise typer.Exit(run_bench(names or [], json))


models_app = typer.Typer(help="The models on this machine: list, get, import, remove.")
app.add_typer(models_app, name="models")
memory_app.add_typer(history_app)
memory_app.add_typer(review_app, name="review")
app.add_typer(memory_app, name="memory")
app.add_typer(chats_app, name="chats")


@app.command()
def note(
    text: Annotated[
        list[str] | None, typer.Argument(help="The note; `-` reads standard input.")
    ] = None,
    wiki: Wiki = None,
    json: Json = False,
) -> None:
    """Note something on today's page of the wiki, with the time before it."""
    from tui.cli.note import run_note

    raise typer.Exit(run_note({"wiki": wiki}, " ".join(text or []), json))


@models_app.callback(invoke_without_command=True)
def models(context: typer.Context) -> None:
    """Without a command: every model, with its size and whether it fits."""
    if context.invoked_subcommand is None:
        from tui.cli.models import run_list

        raise typer.Exit(run_list(is_json=False))


@models_app.command("list")
def models_list(json: Json = False) -> None:
    """Every model found, with its size, abilities and whether it fits."""
    from tui.cli.models import run_list

    raise typer.Exit(run_list(json))


@models_app.command("get")
def models_get(
    repository: Annotated[str, typer.Argument(help="As on the hub: mlx-community/Qwen3-4B-4bit")],
    revision: Annotated[str | None, typer.Option(help="A branch, tag or commit.")] = None,
) -> None:
    """Download a model from the Hugging Face hub; a second try goes on where the first ended."""
    from tui.cli.models import run_get

    raise typer.Exit(run_get(repository, revision))


@models_app.command("import")
def models_import(
    source: Annotated[str, typer.Argument(help="A GGUF file, or a model folder to link.")],
    name: Annotated[str | None, typer.Option(help="What to call it; else as it is.")] = None,
) -> None:
    """Convert a GGUF file, or link a model folder, into the models folder."""
    from tui.cli.models import run_import

    raise typer.Exit(run_import(source, name))


@models_app.command("remove")
def models_remove(
    name: Annotated[str, typer.Argument(help="The model's name or a part of it.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete a model; shows first what goes and how much that frees."""
    from tui.cli.models import run_remove

    raise typer.Exit(run_remove(name, yes))
