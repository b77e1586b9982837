"""`zib ask`: one question, one answer, made for pipes.

The answer goes to standard output and nothing else does; progress and notes go to standard error.
While the app runs, its model answers, unless the command line names another.
Exit codes: 0 answered, 1 could not answer or not in the form asked for, 2 wrong use,
130 interrupted.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from engine.client import EngineClient
from engine.errors import EngineError, EngineStopped
from engine.models.builtin_source import FetchProgress
from engine.protocol import (
    NO_REQUEST,
    Finished,
    FinishReason,
    Generate,
    Grammar,
    Message,
    ModelInfo,
    TextDelta,
    Usage,
)
from engine.sharing.attach import attach
from engine.status import EngineLoading
from engine.wanted_model import ModelChoice
from tui.assistant.recall.desk import Looked
from tui.assistant.recall.record import Source
from tui.cli.ask_chat import NEW, AskedChat, asked_chat
from tui.cli.ask_recall import AskedRecall, asked_recall
from tui.cli.form import FormError, FormOptions, cut_note
from tui.cli.looked_up import LookedUp
from tui.cli.output import AnswerPrinter, ProgressLine
from tui.cli.question import NoQuestion, read_question
from tui.cli.run import print_error
from tui.cli.streams import write_json
from tui.paths import PathsError
from tui.settings.errors import SettingsError
from tui.status_wording import engine_line, fetch_line
from tui.wiring import Wiring, wire
from vault.conversations.values import MessageNode
from vault.errors import VaultError

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class AskOptions:
    """What the command line said."""

    question: str
    is_json: bool
    form: FormOptions = field(default_factory=FormOptions)
    grammar: Grammar | None = None
    chat: str = ""
    has_tools: bool = False
    has_memory: bool | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """One question with all that its answer needs."""

    wiring: Wiring
    options: AskOptions
    chat: AskedChat | None
    recall: AskedRecall | None


class Answered(msgspec.Struct, frozen=True):
    """The JSON document of `zib ask --json`."""

    question: str
    answer: str
    thinking: str
    finish_reason: FinishReason
    model: str
    usage: Usage
    chat: str = ""
    calls: tuple[LookedUp, ...] = ()
    recalled: tuple[Source, ...] = ()


def run_ask(options: AskOptions, flags: Mapping[str, object]) -> int:
    """Answer and print; returns the exit code."""
    try:
        wiring = wire(flags)
        grammar = options.form.read()
        question = read_question(options.question)
    except (SettingsError, PathsError, VaultError, FormError, NoQuestion) as error:
        print_error(str(error))
        return EXIT_USAGE
    for warning in wiring.loaded.warnings:
        print_error(warning)
    try:
        options = replace(options, question=question, grammar=grammar)
        answered = asyncio.run(_answered(wiring, options))
    except (EngineError, VaultError) as error:
        print_error(str(error))
        return EXIT_FAILED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of our pipe has enough, which is no failure; keep Python from complaining.
        sys.stderr.close()
        return 0
    if note := cut_note(grammar, answered.finish_reason):
        print_error(note)
        return EXIT_FAILED
    return 0 if answered.answer or answered.thinking else EXIT_FAILED


async def _answered(wiring: Wiring, options: AskOptions) -> Answered:
    async with asked_chat(wiring.paths.data_dir, options.chat) as chat:
        return await answer(wiring, options, chat)


async def answer(wiring: Wiring, options: AskOptions, chat: AskedChat | None) -> Answered:
    """Stream the answer to standard output, from the app's model or one of our own."""
    has_form = options.grammar is not None
    recall = asked_recall(wiring, options.has_memory, has_form=has_form)
    progress = ProgressLine()

    def show_status(news: object) -> None:
        if isinstance(news, EngineLoading):
            progress.show(engine_line(news))

    def show_fetch(news: FetchProgress) -> None:
        progress.show(fetch_line(news))

    async def ask(engine: EngineClient, model: ModelInfo) -> Answered:
        progress.clear()
        if model.advice and progress.is_shown:
            progress.note(f"slow: {model.advice}")
        if model.kv_warning and progress.is_shown:
            progress.note(model.kv_warning)
        return await _stream(engine, model, Asked(wiring, options, chat, recall))

    try:
        named = await wiring.find_choice(show_fetch) if wiring.is_model_named else None
        if shared := await attach(wiring.paths.runtime_dir, show_status):
            async with shared:
                if answering := await _shared_model(shared, named):
                    return await ask(shared, answering)
        async with EngineClient(wiring.launch, show_status) as engine:
            choice = named or await wiring.find_choice(show_fetch)
            model = await engine.load(
                *choice.place,
                is_forced=choice.is_forced,
                is_draft_optional=choice.is_draft_optional,
            )
            return await ask(engine, model)
    finally:
        progress.clear()


async def _shared_model(engine: EngineClient, named: ModelChoice | None) -> ModelInfo | None:
    """The model of the running app, if it has one and it is the wanted one."""
    try:
        model = await engine.model()
    except EngineError:
        return None
    if named is None:
        return model
    is_same = Path(model.path).resolve() == Path(named.path).resolve()
    return model if is_same and model.adapter == named.adapter else None


async def _stream(engine: EngineClient, model: ModelInfo, asked: Asked) -> Answered:
    options, chat = asked.options, asked.chat
    if options.has_tools and options.grammar is None:
        if model.has_tools:
            return await _with_tools(engine, model, asked)
        ProgressLine().note(f"{model.name} cannot call tools and answers without them.")
    style = asked.wiring.answer_style
    messages = await _messages(engine, model, asked)
    printer = AnswerPrinter(is_silent=options.is_json)
    thinking: list[str] = []
    ending: Finished | None = None
    request = Generate(
        NO_REQUEST,
        messages,
        chat.id if chat else "",
        sampling=style.sampling,
        max_tokens=style.max_tokens,
        stop=style.stop,
        grammar=options.grammar,
    )
    events = engine.run(request)
    async for event in chat.noted(events) if chat else events:
        if isinstance(event, Finished):
            ending = event
        elif isinstance(event, TextDelta) and event.span == "thinking":
            thinking.append(event.text)
        elif isinstance(event, TextDelta):
            printer.write(event.text)
    printer.finish()
    if ending is None:
        raise EngineStopped("The engine ended the answer without saying why.")
    answered = Answered(
        options.question,
        printer.text,
        "".join(thinking),
        ending.reason,
        model.name,
        ending.usage,
        chat.stored_id if chat else "",
        recalled=asked.recall.sources if asked.recall else (),
    )
    if options.is_json:
        write_json(msgspec.json.encode(answered))
    return answered


async def _with_tools(engine: EngineClient, model: ModelInfo, asked: Asked) -> Answered:
    from tui.cli.ask_tools import Given, answer_with_tools

    wiring, options, chat = asked.wiring, asked.options, asked.chat
    is_given = wiring.loaded.sources["chat.system_prompt"].kind == "flag"
    given = Given(options.question, wiring.answer_style, model.name, is_given)
    printer, note = AnswerPrinter(is_silent=options.is_json), ProgressLine().note
    done = await answer_with_tools(engine, wiring.wiki, given, chat, printer, note, asked.recall)
    printer.finish()
    answered = Answered(
        options.question,
        printer.text,
        done.thinking,
        done.reason,
        model.name,
        done.usage,
        done.chat,
        done.calls,
        asked.recall.sources if asked.recall else (),
    )
    if options.is_json:
        write_json(msgspec.json.encode(answered))
    return answered


async def _messages(engine: EngineClient, model: ModelInfo, asked: Asked) -> tuple[Message, ...]:
    options, chat, recall = asked.options, asked.chat, asked.recall
    prompt = asked.wiring.answer_style.system_prompt
    desk = await recall.desk(engine) if recall else None
    if chat is not None:
        is_given = asked.wiring.loaded.sources["chat.system_prompt"].kind == "flag"
        given = prompt if is_given or options.chat == NEW else ""
        messages, looked = await chat.ask(options.question, given, model.name, desk)
        _tell(recall, looked, chat.path)
        return messages
    looked = await desk.look(options.question) if desk else Looked()
    _tell(recall, looked)
    before = looked.record.block if looked.record else ""
    system = (Message("system", prompt),) if prompt else ()
    return (*system, Message("user", before + options.question))


def _tell(recall: AskedRecall | None, looked: Looked, path: Sequence[MessageNode] = ()) -> None:
    if recall is not None and (told := recall.told(looked, path)):
        ProgressLine().note(told)
