"""A model looks things up: what it gets, what is kept, what ends it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine.protocol import Message, ToolCall
from engine.script import Reply
from tests.memory_tools.looking_up import READ, SEARCH, LookingUp, call, looking_up
from tui.assistant.events import Answered, Said, StepEnded, ToolAnswered, ToolAsked
from tui.assistant.memory_tools.calls import looked_of
from tui.assistant.memory_tools.guards import MOST_CALLS
from tui.assistant.memory_tools.look_ups import TOOLS_LINE
from tui.assistant.memory_tools.steps import AnswerSteps, grouped
from tui.assistant.recall.desk import Looked
from tui.assistant.recall.record import Passage, Record
from tui.assistant.requests import Regenerate, Resume
from tui.assistant.style import AnswerStyle
from tui.cli.ask_chat import asked_chat
from tui.cli.ask_recall import AskedRecall
from tui.cli.ask_tools import CommandWiki, Given, answer_with_tools
from tui.cli.output import AnswerPrinter
from vault.conversations.exporting import chat_document
from vault.conversations.markdown import to_markdown
from vault.conversations.store import open_conversations, temporary_conversations
from vault.conversations.values import DEFAULT_OPTIONS
from vault.root import WikiLocation
from vault.tools.budget import MOST_A_TURN
from vault.tools.memory_tools import NO_WIKI

FIRST = Reply("which lens", "I look. ", thinking="where? ", calls=(SEARCH,))
SECOND = Reply("Found for", "", calls=(READ,))
LAST = Reply("160 grams", "The 50mm.")
THEN = Reply("and then", "Fine.")


def texts(looking: LookingUp) -> list[str]:
    return [node.text for node in looking.results()]


async def test_results_are_kept_and_the_next_prompts_begin_with_the_same_messages(
    tmp_path: Path,
) -> None:
    async with looking_up(tmp_path, FIRST, SECOND, LAST, THEN) as looking:
        events = await looking.hear("which lens")
        kinds = [type(event) for event in events]
        assert kinds.count(ToolAsked) == kinds.count(ToolAnswered) == kinds.count(StepEnded) == 2
        assert kinds.count(Answered) == 1
        assert kinds[-1] is Answered
        assert looking.roles() == ["user", "assistant", "tool", "assistant", "tool", "assistant"]
        found, page = texts(looking)
        assert "Lens (articles/Lens.md)" in found
        assert "160 grams." in page
        asked, *steps = looking.assistant.path
        ids = {each.id for node in steps for each in node.extras.tool_calls}
        assert len(ids) == 2, "a model that gives every call the same id"
        assert ids == {node.extras.answers_call for node in looking.results()}
        assert all(node.state == "complete" for node in steps)
        await looking.hear("and then")
        requests = looking.engine.requests
        assert [len(request.tools) for request in requests] == [7, 7, 7, 7]
        for before, after in itertools.pairwise(requests):
            assert after.messages[: len(before.messages)] == before.messages
            assert after.tools == before.tools
        # All that was read before is known, word by word.
        told = [event.usage for event in events if isinstance(event, StepEnded | Answered)]
        assert [usage.reused_tokens > 0 for usage in told] == [False, True, True]
        known = told[0].prompt_tokens + len(["I", "look."])
        assert told[1].reused_tokens == known
        (grouping,) = [each for each in grouped(looking.assistant.path[:6]) if each != asked]
        assert isinstance(grouping, AnswerSteps)
        assert (grouping.text, grouping.thinking) == ("I look. \n\nThe 50mm.", "where? ")
        messages = requests[-1].messages
    with open_conversations(tmp_path / "data") as store:
        chat = store.chats.listed()[0]
        again = temporary_conversations()
        document = chat_document(chat, store.messages.tree(chat.id))
        again.importer.take([document])
        forked = store.chats.fork(chat.id, document.leaf)
        from tui.assistant.chat_messages import model_messages

        for where, id in ((store, chat.id), (again, chat.id), (store, forked.id)):
            kept = model_messages(where.messages.tree(id).path(), TOOLS_LINE)
            assert kept[:-1] == messages
            assert kept[-1] == Message("assistant", "Fine.")


async def test_an_answer_is_given_once_more_and_the_chat_goes_on_from_a_branch(
    tmp_path: Path,
) -> None:
    async with looking_up(tmp_path, FIRST, SECOND, LAST, THEN) as looking:
        await looking.hear("which lens")
        question = looking.assistant.path[0].id
        await looking.hear(Regenerate(question))
        chat = looking.assistant.chat
        assert chat is not None
        first = looking.assistant.path[1]
        assert chat.tree.branch(first.id).number == 2
        ids = [each.id for node in chat.tree.nodes for each in node.extras.tool_calls]
        assert len(ids) == 4
        await looking.hear("and then")
        one, two = looking.engine.requests[0], looking.engine.requests[-1]
        assert two.messages[: len(one.messages)] == one.messages
        # An answer whose calls were deleted has results that answer nothing: they are left out.
        await chat.delete(first.id)
        roles = [message.role for message in chat.messages()]
        assert roles == ["user", "assistant", "tool", "assistant", "user", "assistant"]


@pytest.mark.parametrize(
    ("has_tools", "has_memory", "has_desk"),
    [(False, True, True), (True, False, True), (True, True, False)],
    ids=["a model without tools", "a chat without memory", "no wiki"],
)
async def test_nothing_of_the_tools_reaches_who_has_none(
    tmp_path: Path, has_tools: bool, has_memory: bool, has_desk: bool
) -> None:
    async with looking_up(tmp_path, FIRST, has_tools=has_tools) as looking:
        assistant = looking.assistant
        await assistant.start_new_chat(replace(DEFAULT_OPTIONS, has_memory=has_memory))
        if not has_desk:
            assistant.tools = None
        events = await looking.hear("which lens")
        (request,) = looking.engine.requests
        assert request.tools == ()
        assert [message.content for message in request.messages] == ["which lens"]
        said = "".join(event.text for event in events if isinstance(event, Said))
        assert said.endswith('I look. memory_search({"query": "lens trip"})')
        assert looking.roles() == ["user", "assistant"]
        assert looking.wiki.asked == 0


CHAIN = tuple(
    Reply(f"“w{number}”", "", calls=(call("memory_search", f'{{"query": "w{number + 1}"}}'),))
    for number in range(MOST_CALLS + 9, 0, -1)
)
ALWAYS = "always"
SECTIONS = tuple(
    Reply(
        f"Part {n} of", "", calls=(call("memory_section", f'{{"page": "Long", "part": {n + 1}}}'),)
    )
    for n in range(1, 20)
)


def begins(*calls: ToolCall) -> Reply:
    return Reply("let us begin", "", calls=calls)


@pytest.mark.parametrize(
    ("replies", "calls", "words"),
    [
        ((begins(SEARCH), Reply("", "", calls=(SEARCH,))), 4, "asked exactly this before"),
        ((*CHAIN, begins(call("memory_search", '{"query": "w1"}'))), MOST_CALLS, "w25"),
        (
            (
                begins(call("memory_section", '{"page": "Long"}')),
                *SECTIONS,
                Reply("", "", calls=(call("memory_section", '{"page": "Long", "part": 9}'),)),
            ),
            7,
            "Enough was looked up",
        ),
        (
            (
                Reply("let us begin", "", malformed_call="<tool_call>{"),
                Reply("", "", malformed_call="x"),
            ),
            3,
            "cannot be read",
        ),
    ],
    ids=["twice", "25", "8 KB", "broken"],
)
async def test_look_ups_end(
    tmp_path: Path, replies: tuple[Reply, ...], calls: int, words: str
) -> None:
    async with looking_up(tmp_path, *replies) as looking:
        looking.wiki.vault.create(
            "Long", "articles", text="# Long\n\n" + "many words here\n\n" * 900
        )
        events = await looking.hear("let us begin")
        assert isinstance(events[-1], Answered)
        assert events[-1].reason == "stop"
        assert len(looking.results()) == calls
        assert any(words in text for text in texts(looking)), texts(looking)
        assert looking.roles()[-1] == "assistant"
        assert sum(len(text.encode()) for text in texts(looking)) < MOST_A_TURN + 6000
        spoken = [n for n in looking.results() if not looked_of(n).is_error]
        assert sum(len(node.text.encode()) for node in spoken) <= MOST_A_TURN
        # Whoever must answer has no tools left; nobody else lost them.
        assert all(request.tools for request in looking.engine.requests[:-1])


IN_TEXT = (
    '{"name": "memory_read", "arguments": {"page": "Lens"}}',
    '<tool_call>{"name": "memory_status"}</tool_call>',
    "memory_status({})",
    "> memory_status({})",
)


async def test_a_call_in_what_is_said_or_thought_never_runs(tmp_path: Path) -> None:
    replies = [Reply(text, f"The page says: {text}", thinking=text) for text in IN_TEXT]
    async with looking_up(tmp_path, *replies) as looking:
        for text in IN_TEXT:
            await looking.hear(f"what of {text}")
        assert looking.roles() == ["user", "assistant"] * len(IN_TEXT)
        assert looking.wiki.asked == 0


SLOWLY = Reply("which lens", "I look here now. ", calls=(SEARCH,), seconds_per_token=0.05)
LATE = Reply("Found for", "word " * 500, seconds_per_token=0.02)
UNREAD = Reply("Found for", "never", seconds_per_chunk=0.3)


@pytest.mark.parametrize(
    ("replies", "is_time", "states"),
    [
        ((SLOWLY,), lambda events, _: any(isinstance(e, Said) for e in events), ["stopped"]),
        ((FIRST,), lambda _, looking: looking.wiki.asked == 1, ["stopped"]),
        (
            (FIRST, UNREAD),
            lambda _, looking: len(looking.engine.requests) == 2,
            ["complete", "stopped"],
        ),
        (
            (FIRST, LATE),
            lambda events, _: "word" in str(events[-1]),
            ["complete", "stopped"],
        ),
    ],
    ids=["while it speaks", "while it looks", "while it reads what was found", "in the answer"],
)
async def test_a_stop_ends_it_in_every_phase(
    tmp_path: Path,
    replies: tuple[Reply, ...],
    is_time: Callable[[list[object], LookingUp], bool],
    states: list[str],
) -> None:
    async with looking_up(tmp_path, *replies, THEN) as looking:
        if replies == (FIRST,):
            looking.wiki.gate.clear()
        heard: list[object] = []

        async def hear() -> None:
            looking.assistant.begin()
            async for event in looking.assistant.ask("which lens"):
                heard.append(event)

        hearing = asyncio.create_task(hear())
        async with asyncio.timeout(20):
            while not heard or not is_time(heard, looking):
                await asyncio.sleep(0.01)
        looking.assistant.stop()
        await asyncio.wait_for(hearing, 10)
        looking.wiki.gate.set()
        ending = heard[-1]
        assert isinstance(ending, Answered)
        assert ending.reason == "cancelled"
        answers = [node.state for node in looking.assistant.path if node.role == "assistant"]
        assert answers == states
        # The next question is answered, and the chat can be sent as it is.
        assert isinstance((await looking.hear("and then"))[-1], Answered)
        sent = looking.engine.requests[-1].messages
        assert sent[-1].content == "and then"


async def test_a_stop_while_the_model_still_loads(tmp_path: Path) -> None:
    async with looking_up(tmp_path, FIRST, load_seconds=20.0) as looking:
        hearing = asyncio.create_task(looking.hear("which lens"))
        await asyncio.sleep(0.1)
        assert not hearing.done()
        looking.assistant.stop()
        ending = (await asyncio.wait_for(hearing, 10))[-1]
        assert isinstance(ending, Answered)
        assert ending.reason == "cancelled"
        assert looking.engine.requests == []


async def test_an_answer_stopped_among_its_look_ups_goes_on(tmp_path: Path) -> None:
    async with looking_up(tmp_path, FIRST, SECOND, LAST) as looking:
        looking.wiki.gate.clear()
        hearing = asyncio.create_task(looking.hear("which lens"))
        async with asyncio.timeout(20):
            while not looking.wiki.asked:
                await asyncio.sleep(0.01)
        looking.assistant.stop()
        await hearing
        looking.wiki.gate.set()
        stopped = looking.assistant.path[-1]
        assert stopped.extras.tool_calls
        await looking.hear(Resume(stopped.id))
        assert looking.roles()[:3] == ["user", "assistant", "assistant"]
        # The call that brought nothing is still told, for it was made.
        assert looking.engine.requests[-1].messages[2].tool_calls


async def test_a_scope_bounds_every_tool(tmp_path: Path) -> None:
    wanted = (
        call("memory_search", '{"query": "lens trip"}'),
        call("memory_read", '{"page": "Lens"}'),
        call("memory_read", '{"page": "articles/Lens.md"}'),
        call("memory_list"),
        call("memory_links", '{"page": "Bag"}'),
        call("memory_status"),
        call("memory_search", '{"query": "path:Lens lens"}'),
    )
    async with looking_up(tmp_path, begins(*wanted), Reply("", "done")) as looking:
        options = replace(DEFAULT_OPTIONS, memory_scope="path:Bag")
        await looking.assistant.start_new_chat(options)
        await looking.hear("let us begin")
        assert len(texts(looking)) == len(wanted)
        assert "Bag" in texts(looking)[3]
        for text in texts(looking):
            assert "50mm" not in text
            assert "Lens (" not in text


async def test_small_contexts_have_small_budgets(tmp_path: Path) -> None:
    go = begins(call("memory_read", '{"page": "Long", "force": true}'))
    async with looking_up(tmp_path, go, Reply("", "done"), window=1500) as looking:
        looking.wiki.vault.create("Long", "articles", text="# Long\n\n" + "wörter\n\n" * 900)
        assert isinstance((await looking.hear("let us begin"))[-1], Answered)
        (node,) = looking.results()
        assert len(node.text.encode()) <= 1500


async def test_look_ups_are_exported_and_in_the_one_shot_command(tmp_path: Path) -> None:
    async with looking_up(tmp_path, FIRST, SECOND, LAST) as looking:
        notes: list[str] = []
        given = Given("which lens", AnswerStyle("Be kind."), "m", has_prompt=True)
        printer = AnswerPrinter(is_silent=True)
        place = WikiLocation(tmp_path / "wiki", tmp_path, tmp_path / "data")
        async with asked_chat(tmp_path / "chats", "new") as chat:
            done = await answer_with_tools(
                looking.engine.engine, place, given, chat, printer, notes.append
            )
        assert (printer.text, done.reason, done.thinking) == (
            "I look. The 50mm.",
            "stop",
            "where? ",
        )
        assert [note.partition(" · ")[0] for note in notes] == [
            "looked for “lens trip”",
            "read Lens",
        ]
        assert [each.name for each in done.calls] == ["memory_search", "memory_read"]
        with open_conversations(tmp_path / "chats") as store:
            document = chat_document(store.chats.get(done.chat), store.messages.tree(done.chat))
        text = to_markdown(document, "x")
        assert "Be kind." in text
        assert "```text\nLens (articles/Lens.md)" in text
        assert [line for line in text.split("\n") if line.startswith("## ")][-1].startswith(
            "## Assistant"
        )
        # A wiki that is not there is not made.
        nowhere = WikiLocation(tmp_path / "none", tmp_path, tmp_path / "data")
        silent = AnswerPrinter(is_silent=True)
        notes.clear()
        recall = AskedRecall(CommandWiki(nowhere), None, was_wished=True)
        done = await answer_with_tools(
            looking.engine.engine, nowhere, given, None, silent, notes.append, recall
        )
        assert notes[0] == f"answered without memory: {NO_WIKI}"
        assert done.calls[0].is_error
        assert "zib memory init" in done.calls[0].result
        assert not (tmp_path / "none").exists()


async def test_a_chat_that_cannot_be_stored_is_told_and_not_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with looking_up(tmp_path, FIRST, SECOND, LAST) as looking:
        given = Given("which lens", AnswerStyle(), "m", has_prompt=False)
        place = WikiLocation(tmp_path / "wiki", tmp_path, tmp_path / "data")
        async with asked_chat(tmp_path / "chats", "new") as chat:
            assert chat is not None
            chat.store.close()
            done = await answer_with_tools(
                looking.engine.engine, place, given, chat, AnswerPrinter(is_silent=True), print
            )
            assert chat.chat is not None
        assert (done.reason, done.chat) == ("stop", "")
        assert chat.chat.trouble
        assert chat.chat.trouble in capsys.readouterr().err


@pytest.mark.parametrize(
    ("looked", "told"),
    [
        (Looked(), "recalled: nothing in the wiki is about this"),
        (Looked(Record(1, is_known=True)), "recalled: what the wiki says about this is further up"),
        (Looked(remark="answered without memory: gone"), "answered without memory: gone"),
        (Looked(Record(1, (Passage("a", "A", "a", "2026"),))), "recalled: A (2026)"),
    ],
    ids=["nothing", "known", "error", "found"],
)
async def test_what_was_recalled_is_told(tmp_path: Path, looked: Looked, told: str) -> None:
    wiki = CommandWiki(WikiLocation(tmp_path / "none", tmp_path, tmp_path / "data"))
    assert AskedRecall(wiki, None, was_wished=True).told(looked).startswith(told)
