"""`zib chats export|import`: chats to files and from files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tui.cli.chats.opened import EXIT_FAILED, chat_called, with_chats
from tui.cli.memory.printed import counted, print_json, print_text, say
from tui.cli.run import EXIT_USAGE, print_error
from tui.text.line import to_line
from vault.conversations.errors import ExportExists
from vault.conversations.exporting import ChatDocument, documents, to_json
from vault.conversations.files import file_name, make_folder, write_export
from vault.conversations.import_files import chats_in_path
from vault.conversations.importing import ImportReport
from vault.conversations.markdown import to_markdown
from vault.conversations.store import Conversations

_FORMS = ("markdown", "json")
_MOST_SKIPPED_TOLD = 20


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What the command line said; an empty `form` follows the name of the file."""

    chats: tuple[str, ...]
    to: str
    form: str = ""
    has_thinking: bool = False
    is_overwriting: bool = False


def run_export(options: ExportOptions) -> int:
    """To standard output, to one file, or one Markdown file a chat in a folder."""
    form = options.form or ("json" if options.to.lower().endswith(".json") else "markdown")
    if form not in _FORMS:
        print_error(f"There is no form “{form}” of exports; give markdown or json.")
        return EXIT_USAGE

    def export(store: Conversations) -> int:
        ids = [chat_called(store, name).id for name in options.chats] or None
        try:
            if form == "json":
                return _write(to_json(documents(store, ids)), options)
            if options.to != "-" and (Path(options.to).is_dir() or options.to.endswith("/")):
                return _write_each(store, ids, options)
            return _write(_markdown(store, ids, options.has_thinking), options)
        except ExportExists as error:
            print_error(f"{error} With --force it is replaced.")
            return EXIT_FAILED

    return with_chats(export)


def run_import(source: str, is_json: bool) -> int:
    """Take over what is new, and say what was not taken and why."""

    def take(store: Conversations) -> int:
        report = store.importer.take(chats_in_path(Path(source).expanduser()))
        if is_json:
            print_json(asdict(report))
        else:
            _tell(report)
        is_any = report.chats_added or report.chats_extended or report.chats_unchanged
        return 0 if is_any else EXIT_FAILED

    return with_chats(take)


def _write(content: Iterator[bytes], options: ExportOptions) -> int:
    if options.to != "-":
        file = Path(options.to).expanduser()
        write_export(file, content, options.is_overwriting)
        say(f"{file}: written.")
        return 0
    for piece in content:
        print_text(piece.decode(), piece)
    return 0


def _write_each(store: Conversations, ids: Sequence[str] | None, options: ExportOptions) -> int:
    folder = make_folder(Path(options.to).expanduser())
    taken: set[str] = set()
    for chat in documents(store, ids):
        name = file_name(_called(store, chat), f"{chat.created:%Y-%m-%d}", ".md")
        if name in taken:
            name = f"{name.removesuffix('.md')}-{chat.id[:8]}.md"
        taken.add(name)
        text = to_markdown(chat, _called(store, chat), options.has_thinking)
        write_export(folder / name, [text.encode()], options.is_overwriting)
    say(f"{folder}: {counted(len(taken), 'file')} written.")
    return 0


def _markdown(
    store: Conversations, ids: Sequence[str] | None, has_thinking: bool
) -> Iterator[bytes]:
    before = ""
    for chat in documents(store, ids):
        yield f"{before}{to_markdown(chat, _called(store, chat), has_thinking)}".encode()
        before = "\n---\n\n"


def _called(store: Conversations, chat: ChatDocument) -> str:
    return chat.title or store.chats.get(chat.id).name


def _tell(report: ImportReport) -> None:
    say(
        f"{counted(report.chats_added, 'chat')} added, {report.chats_extended:,} extended,"
        f" {report.chats_unchanged:,} known already; {counted(report.messages_added, 'message')}."
    )
    for each in report.skipped[:_MOST_SKIPPED_TOLD]:
        print_error(f"Left out: {to_line(each.what)}: {to_line(each.why)}.")
    more = len(report.skipped) - _MOST_SKIPPED_TOLD
    if more > 0:
        print_error(f"And {more:,} more were left out; --json names them all.")
