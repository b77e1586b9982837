"""The bounds of one question's look-ups, without a model: what is carried out, what is refused."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.memory_tools.looking_up import LENS, OpenWiki
from tui.assistant.memory_tools.articles import NamedArticle, articles_of
from tui.assistant.memory_tools.calls import Looked, unreadable_call, with_own_id
from tui.assistant.memory_tools.guards import MOST_CALLS
from tui.assistant.memory_tools.look_ups import LookUps
from tui.assistant.memory_tools.tool_desk import offered_tools
from tui.assistant.memory_tools.wiki_tools import WikiTools
from vault.conversations.values import ToolCall


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WikiTools]:
    wiki = OpenWiki(tmp_path_factory.mktemp("wiki"))
    wiki.vault.create("Lens", "articles", text=LENS)
    yield WikiTools(wiki)
    wiki.vault.close()


def call(name: str, arguments: str = "{}") -> ToolCall:
    return ToolCall(name, arguments, "same")


SEARCH = call("memory_search", '{"query": "lens trip"}')
READ = call("memory_read", '{"page": "Lens"}')
OTHERWISE = call("memory_search", '{"limit": 8, "query": "lens trip", "scope": null}')
FORCED = call("memory_read", '{"force": true, "page": "Lens"}')


@pytest.mark.parametrize(
    ("calls", "refused", "words", "is_over"),
    [
        ((SEARCH, READ), 0, "160 grams", False),
        ((SEARCH, OTHERWISE), 1, "asked exactly this before", False),
        ((READ, FORCED), 0, "160 grams", False),
        ((SEARCH, *[OTHERWISE] * 3), 3, "asked exactly this before", True),
        (
            [call("memory_search", f'{{"query": "x{n}"}}') for n in range(MOST_CALLS + 3)],
            3,
            "more than 25 calls",
            True,
        ),
        ((call("memory_write", "{}"),), 1, "There is no tool “memory_write”. There are: ", False),
        ((call("memory_read", "{}"),), 1, "“page” must be given", False),
        ((call("memory_read", '{"page": 3}'),), 1, "There is no page “3”", False),
        ((call("memory_read", '{"page": ["x"]}'),), 1, "no page “x”", False),
        ((call("memory_read", '{"page": {"a": 1}}'),), 1, "must be a text", False),
        ((call("memory_read", '{"page": "Lense"}'),), 1, "Near names: “Lens”", False),
        ((call("memory_section", '{"page": "Lens", "heading": "Wait"}'),), 1, "“Weight”", False),
        ((call("memory_list", '{"folder": "../.."}'),), 1, "memory_status names folders", False),
        ((call("memory_read", "nonsense"),), 1, "“page” must be given", False),
        ((call("memory_read", "[" * 5000),), 1, "“page” must be given", False),
        ((call("", ""),), 1, "There is no tool", False),
    ],
)
async def test_what_is_carried_out(
    tools: WikiTools, calls: list[ToolCall], refused: int, words: str, is_over: bool
) -> None:
    look_ups = LookUps(tools, offered_tools())
    looked = [await look_ups.look(each) for each in calls]
    assert sum(each.is_error for each in looked) == refused
    assert words in looked[-1].text
    assert (look_ups.offered == ()) is is_over


async def test_what_is_no_call_is_told_and_ends_it(tools: WikiTools) -> None:
    look_ups = LookUps(tools, offered_tools())
    for _ in range(3):
        looked = await look_ups.look(unreadable_call("<x>{"), "It cannot be read.")
        assert looked.is_error
        assert "It cannot be read. The tools are: memory_search" in looked.text
    assert look_ups.offered == ()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('<tool_call>{"name": "memory_read", "arguments": {', "memory_read"),
        ("memory_read(page='x", "memory_read"),
        ("<function=memory_read><parameter", "memory_read"),
        ("\x1b]52;c;" + "x" * 5000, "unreadable"),
        ("", "unreadable"),
    ],
)
def test_what_is_no_call_gets_a_name(text: str, name: str) -> None:
    made = unreadable_call(text)
    assert made.name == name
    assert len(made.arguments) < 3000


def test_ids_are_the_models_own_unless_they_were_taken() -> None:
    assert with_own_id(READ, "a", 0, ()) == READ
    taken = with_own_id(READ, "a", 0, {READ.id})
    assert taken.id not in {READ.id, ""}
    assert taken == with_own_id(READ, "a", 0, {READ.id})
    assert taken.id != with_own_id(READ, "a", 1, {READ.id}).id


FOUND = (
    "Found for “x”:\n- A (articles/A.md) · 2026-01-01\n  - B (b/B.md) · 2026\n- C (c (d).md) · x"
)


@pytest.mark.parametrize(
    ("name", "text", "paths"),
    [
        ("memory_search", FOUND, ["articles/A.md", "c (d).md"]),
        ("memory_read", "A (a/A.md) · 2026\n\n- B (b/B.md) · 2026", ["a/A.md"]),
        ("memory_status", FOUND, []),
        ("launch", FOUND, []),
    ],
)
def test_articles_are_those_the_tool_names(name: str, text: str, paths: list[str]) -> None:
    found = articles_of(call(name), Looked(text))
    assert [each.path for each in found] == paths
    assert articles_of(call(name), Looked(text, is_error=True)) == ()
    assert all(isinstance(each, NamedArticle) for each in found)
