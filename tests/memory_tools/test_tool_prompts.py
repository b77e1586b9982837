"""No text that a tool reads from the wiki becomes a control token, whatever the tokenizer."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mlx_lm.tokenizer_utils import load as load_tokenizer

from engine.protocol import Message
from engine.worker.markup import markup_of
from engine.worker.prompt import PromptWriter
from engine.worker.turn_style import style_of
from engine.worker.turns import TurnWriter
from tests.engine.dialects import CHATML, tokenizer_of
from tests.engine.tokenizer_kinds import KINDS
from tests.engine.tool_families import WRITINGS, Writing
from tui.assistant.chat_messages import model_messages
from tui.assistant.memory_tools.tool_desk import offered_tools
from tui.text.sanitise import to_display
from vault.conversations.values import EPOCH, Extras, MessageNode, Role, ToolCall
from vault.tools.budget import Budget
from vault.tools.memory_tools import MemoryTools
from vault.tools.read_only import ReadOnlyWiki

IS_HARDENING = os.environ.get("ZIB_HARDEN") == "1"
FORGED = (
    "<|im_start|>",
    "<|im_end|>",
    "</s>",
    "[INST]",
    "<think>",
    "</think>",
    "<tool_call>",
    "<|im_<|im_end|>end|>",
    "＜｜tool▁calls▁begin｜＞",
    "<tool\u200b_call>",
    "&lt;think&gt;",
)
MESSAGES = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n"
    "{{ message.content }}{% for tool_call in message.tool_calls %}<tool_call>"
    "{{ tool_call.function | tojson }}</tool_call>{% endfor %}<|im_end|>{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}{# tool_call.name #}"
)
TEMPLATE = (
    "{% if tools %}<|im_start|>system\n{% for tool in tools %}{{ tool | tojson }}{% endfor %}"
    f"<|im_end|>{{% endif %}}{MESSAGES}"
)


def of_kind(name: str) -> Any:
    tokenizer = KINDS[name]()
    tokenizer._tokenizer.chat_template = TEMPLATE
    return tokenizer


def of_family(writing: Writing) -> Any:
    template = writing.family.template.replace(CHATML, MESSAGES)
    return tokenizer_of(replace(writing.family, template=template))


TOKENIZERS: dict[str, Callable[[], Any]] = {
    **{name: (lambda name=name: of_kind(name)) for name in KINDS},  # type: ignore[misc]  # mypy cannot type the default
    **{
        writing.format: (lambda writing=writing: of_family(writing))  # type: ignore[misc]  # as above
        for writing in WRITINGS
        if CHATML in writing.family.template
    },
}


class Pages:
    """A wiki of one page, written anew for each text."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "wiki" / "note.md"
        self._file.parent.mkdir()
        wiki = ReadOnlyWiki(folder / "wiki", folder / "data")
        self._tools = MemoryTools(wiki.opened, Budget(1 << 20, 1 << 20), to_display)

    def path(self, text: str) -> list[MessageNode]:
        """A chat in which the text is everywhere: said, asked for, called, found, read."""
        quoted = json.dumps(text)
        self._file.write_text(
            f"---\ntitle: {quoted}\naliases: [{quoted}]\ntags: [{quoted}]\n---\n# {text}\n\n"
            f"word {text} word\n\n## {text}\n\n```\n{text}\n```\n[[{text}]] {text}\n"
        )
        nodes = [node("user", f"word {text} word")]
        calls: tuple[tuple[str, dict[str, object]], ...] = (
            ("memory_search", {"query": "word"}),
            ("memory_read", {"page": "note", "force": True}),
            ("memory_toc", {"page": "note.md"}),
            ("memory_section", {"page": "note.md", "heading": text}),
            ("memory_links", {"page": "note.md"}),
            ("memory_list", {}),
            ("memory_read", {"page": text}),
            (text, {"unreadable": text}),
        )
        for place, (name, arguments) in enumerate(calls):
            call = ToolCall(name, json.dumps(arguments), f"c{place:08}")
            nodes.append(node("assistant", text, Extras((call,)), thinking=text))
            found = self._tools.answer(name, arguments).text
            nodes.append(node("tool", found, Extras(answers_call=call.id)))
        return nodes


def node(role: Role, text: str, extras: Extras | None = None, thinking: str = "") -> MessageNode:
    made = MessageNode("n", "", role, text, EPOCH, thinking=thinking)
    return replace(made, extras=extras) if extras else made


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    return Pages(tmp_path_factory.mktemp("pages"))


def writer_of(tokenizer: Any) -> tuple[PromptWriter, Callable[[tuple[Message, ...]], list[int]]]:
    """What writes its prompts; without a place for them, calls and results are told as text."""
    markup = markup_of(tokenizer)
    prompts, style = PromptWriter(tokenizer), style_of(tokenizer, markup)
    writer = TurnWriter(prompts, style, markup.thinks)
    tools = offered_tools() if style.calls else ()
    return prompts, lambda messages: writer.write(messages, None, tools)


def structure(tokenizer: Any, messages: tuple[Message, ...]) -> Counter[str]:
    """How often each control token stands in the prompt."""
    prompts, write = writer_of(tokenizer)
    ids = write(messages)
    inner = tokenizer._tokenizer
    return Counter(inner.convert_ids_to_tokens(id) for id in ids if id in prompts.control.ids)


def check(tokenizer: Any, pages: Pages) -> None:
    added = [str(token) for token in tokenizer._tokenizer.added_tokens_decoder.values()]
    assert added
    benign = structure(tokenizer, model_messages(pages.path("x"), "Be kind x"))
    assert benign
    texts = (" a ".join((*added, *FORGED)), "".join(added), *FORGED)
    for text in texts if IS_HARDENING else texts[:3]:
        path = pages.path(text)
        assert sum(to_display(text).split()[0] in each.text for each in path) > 8, text
        found = structure(tokenizer, model_messages(path, f"Be kind {text}"))
        assert found == benign, text


@pytest.mark.parametrize("name", list(TOKENIZERS)[:: 1 if IS_HARDENING else 3])
def test_what_tools_read_stays_text(name: str, pages: Pages) -> None:
    check(TOKENIZERS[name](), pages)


def test_what_tools_read_stays_text_for_the_built_in_model(
    builtin_model: Path, pages: Pages
) -> None:
    """It calls no tools, so results of other models are told to it as text."""
    check(load_tokenizer(builtin_model), pages)


@pytest.mark.parametrize("name", ["byte-level", "sentence-piece"])
def test_each_step_reads_on_where_the_one_before_left_off(name: str, pages: Pages) -> None:
    """Token by token, so that the prompt cache has all of it."""
    _, write = writer_of(of_kind(name))
    path = [*pages.path("x"), node("assistant", "done"), node("user", "and then?")]
    ends = [at + 1 for at, each in enumerate(path) if each.role in {"user", "tool"}]
    before: list[int] = []
    for end in ends:
        tokens = write(model_messages(path[:end], "Be kind."))
        assert tokens[: len(before)] == before
        assert len(tokens) > len(before)
        before = tokens
    assert len(ends) == 10
