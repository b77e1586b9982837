"""Exports, and imports of our own and of other programs' chats, hostile ones among them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conversations.foreign_exports import chatgpt_export, claude_export, lm_studio_export
from vault.conversations.errors import ExportExists, ExportRefused, ImportRefused
from vault.conversations.exporting import ChatDocument, documents, to_json
from vault.conversations.files import file_name, write_export
from vault.conversations.foreign import json_reading
from vault.conversations.foreign.forms import chats_in
from vault.conversations.import_files import chats_in_path
from vault.conversations.importing import ImportReport
from vault.conversations.markdown import to_markdown
from vault.conversations.store import Conversations, temporary_conversations
from vault.conversations.values import Attachment, Chat, Draft, MessageNode, ToolCall, Usage

NOW = datetime(2026, 12, 1, tzinfo=UTC)


@pytest.fixture
def memory() -> Iterator[Conversations]:
    with temporary_conversations() as store:
        yield store


def take(store: Conversations, value: Any) -> ImportReport:
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    return store.importer.take(chats_in(content, NOW))


def only_chat(store: Conversations) -> tuple[Chat, tuple[MessageNode, ...]]:
    (chat,) = store.chats.listed()
    return chat, store.messages.tree(chat.id).path()


def test_chatgpt(memory: Conversations) -> None:
    report = take(memory, chatgpt_export())
    assert (report.chats_added, report.messages_added) == (1, 5)
    assert [(each.what, each.why) for each in report.skipped] == [
        ("chat “Empty”", "there is no message in it")
    ]
    chat, path = only_chat(memory)
    assert (chat.title, chat.is_pinned, chat.source) == ("Lenses", True, "chatgpt")
    assert chat.created == datetime(2024, 11, 22, 11, 39, tzinfo=UTC)
    assert chat.options.model == "gpt-4o"
    asked, called, output, reply = path
    assert (asked.role, asked.text) == ("user", "Which lens?")
    assert asked.created.isoformat() == "2024-11-22T11:39:09.599000+00:00"
    assert asked.extras.attachments == (Attachment("image_asset_pointer", "file-service://file-1"),)
    assert called.extras.tool_calls == (ToolCall("python", "print(1)"),)
    assert called.thinking == "Let me see."
    assert (output.role, output.text) == ("tool", "1")
    assert (reply.text, reply.model) == ("A fast one.", "gpt-4o")
    tree = memory.messages.tree(chat.id)
    assert tree.branch(called.id).ids == tree.children(asked.id)
    other = tree.get(tree.children(asked.id)[1])
    assert other is not None
    assert other.text == "A slow one."


def test_claude(memory: Conversations) -> None:
    assert take(memory, claude_export()).messages_added == 3
    chat, path = only_chat(memory)
    assert (chat.title, chat.source) == ("Bread", "claude")
    asked, answer, thanks = path
    assert asked.text == "Which flour?\n\nRye 500 g"
    assert asked.extras.attachments[0].name == "recipe.txt"
    assert asked.created.isoformat() == "2026-03-01T10:00:00.123456+00:00"
    assert (answer.text, answer.thinking, answer.role) == ("Use rye.", "Hm.", "assistant")
    assert answer.extras.tool_calls == (ToolCall("search", '{"q": "bread"}', "t1"),)
    assert thanks.text == "Thanks"


def test_claude_with_parents_is_a_tree(memory: Conversations) -> None:
    (chat,) = claude_export()
    one, two, three = chat["chat_messages"]
    one["parent_message_uuid"] = "00000000-0000-4000-8000-000000000000"
    two["parent_message_uuid"] = three["parent_message_uuid"] = "m1"
    chat["current_leaf_message_uuid"] = "m2"
    take(memory, [chat])
    _, path = only_chat(memory)
    assert [node.text for node in path][1:] == ["Use rye."]


def test_lm_studio(memory: Conversations) -> None:
    assert take(memory, lm_studio_export()).messages_added == 4
    chat, path = only_chat(memory)
    assert (chat.title, chat.is_pinned, chat.source) == ("Tents", True, "lm-studio")
    assert chat.options.system_prompt == "Be short."
    assert chat.created == datetime(2025, 6, 15, 15, 6, 40, tzinfo=UTC)
    assert [node.text for node in path] == ["Which tent?", "Small.", "Why?"]
    tree = memory.messages.tree(chat.id)
    first = tree.get(tree.branch(path[1].id).ids[0])
    assert first is not None
    assert (first.text, first.thinking, first.model) == ("Big.", "Hm.", "qwen/qwen3-4b")
    assert first.state == "stopped"
    assert first.extras.usage == Usage(0, 12, 7, 51.5, 0.2)


EXPORTS: list[Callable[[], Any]] = [chatgpt_export, claude_export, lm_studio_export]


@pytest.mark.parametrize("export", EXPORTS)
def test_importing_again_adds_only_what_is_new(
    memory: Conversations, export: Callable[[], Any]
) -> None:
    take(memory, export())
    before = list(documents(memory))
    again = take(memory, export())
    assert (again.chats_added, again.chats_unchanged, again.messages_added) == (0, 1, 0)
    assert list(documents(memory)) == before
    chat, path = only_chat(memory)
    memory.chats.rename(chat.id, "My own name")
    mine = memory.messages.add(chat.id, Draft("user", "went on here"))
    take(memory, export())
    chat, path = only_chat(memory)
    assert chat.title == "My own name"
    assert path[-1] == mine


def test_a_chat_that_grew_goes_on_where_it_was_left(memory: Conversations) -> None:
    take(memory, chatgpt_export())
    grown = chatgpt_export()
    mapping = grown[0]["mapping"]
    mapping["reply"]["children"] = ["more"]
    mapping["more"] = {
        "id": "more",
        "parent": "reply",
        "children": [],
        "message": {"author": {"role": "user"}, "content": {"parts": ["And then?"]}},
    }
    grown[0]["current_node"] = "more"
    report = take(memory, grown)
    assert (report.chats_extended, report.messages_added) == (1, 1)
    assert only_chat(memory)[1][-1].text == "And then?"


def test_our_own_form_keeps_everything(memory: Conversations, tmp_path: Path) -> None:
    take(memory, chatgpt_export())
    take(memory, lm_studio_export())
    chat = memory.chats.create(title="Zoned").id
    zone = timezone(timedelta(hours=5, minutes=45))
    moment = datetime(2026, 1, 2, 3, 4, 5, 678901, zone)
    memory.messages.add(chat, Draft("user", "a\x00b\u2028\U0001f600", created=moment))
    memory.chats.tag(chat, ["one", "two"])
    file = tmp_path / "all.json"
    write_export(file, to_json(documents(memory)))
    with temporary_conversations() as other:
        assert not other.importer.take(chats_in_path(file)).skipped
        assert list(documents(other)) == list(documents(memory))
        (node,) = other.messages.tree(chat).path()
        assert node.created.isoformat() == "2026-01-02T03:04:05.678901+05:45"


def test_files_zips_and_folders(memory: Conversations, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("user.json", "{}")
        archive.writestr("data/conversations.json", json.dumps(chatgpt_export()))
        archive.writestr("conversations-001.json", json.dumps(claude_export()))
        archive.writestr("chat.html", "<html>")
    report = memory.importer.take(chats_in_path(tmp_path / "export.zip"))
    assert report.chats_added == 2
    folder = tmp_path / "lmstudio" / "deeper"
    folder.mkdir(parents=True)
    (folder / "1.conversation.json").write_text(json.dumps(lm_studio_export()))
    (folder / "broken.json").write_text("{")
    report = memory.importer.take(chats_in_path(folder.parent))
    assert (report.chats_added, len(report.skipped)) == (1, 1)
    for name, content in {
        "a.zip": b"PK\x03\x04nonsense",
        "b.json": b"",
        "c.json": b"hello",
    }.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ImportRefused):
            memory.importer.take(chats_in_path(tmp_path / name))
    with pytest.raises(ImportRefused, match="no file"):
        list(chats_in_path(tmp_path / "missing"))


def test_what_is_too_large_is_refused(
    memory: Conversations, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vault.conversations.import_files.MOST_BYTES", 5000)
    monkeypatch.setattr(json_reading, "_MOST_BYTES_OF_ONE", 3000)
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", b"[" + b" " * 50_000_000 + b"]")
    (skipped,) = memory.importer.take(chats_in_path(bomb)).skipped
    assert "larger" in skipped.why
    large = tmp_path / "large.json"
    large.write_bytes(b"[" + b" " * 6000 + b"]")
    with pytest.raises(ImportRefused, match="larger"):
        list(chats_in_path(large))
    chats = [*claude_export(), {"chat_messages": [{"text": "x" * 4000}]}]
    report = take(memory, chats)
    assert (report.chats_added, len(report.skipped)) == (1, 1)


@pytest.mark.parametrize(
    ("content", "added", "skipped"),
    [
        (b"[]", 0, 0),
        (b"\xef\xbb\xbf[]", 0, 0),
        (b'[1, null, "x", {}]', 0, 4),
        (b'{"chats": 3}', 0, 1),
        (b'[{"mapping": {"a": 1, "b": [], "c": {"message": 7, "parent": 9}}}]', 0, 1),
        (b'[{"chat_messages": [null, 1, {"text": 5}, {"text": "ok", "uuid": []}]}]', 1, 0),
        (b'[{"chat_messages": [{"text": "a\\ud800b", "sender": "human"}]}]', 1, 0),
        (b'[{"chat_messages": [{"text": "NUL \\u0000", "created_at": "nonsense"}]}]', 1, 0),
        (b'[{"chat_messages": [{"text": "x", "created_at": 1e400}], "created_at": NaN}]', 1, 0),
        (b'[{"chat_messages": [{"text": "\xff\xfe"}]}]', 1, 0),
        (b'{"messages": [{"versions": [{"content": "hi", "role": "pope"}]}]}', 1, 0),
        (b'{"messages": [{"versions": 5}], "createdAt": -1e308}', 0, 1),
        (b'{"format": "zibaldone chats", "version": 99, "chats": []}', 0, 1),
        (b'{"format": "zibaldone chats", "version": 1, "chats": [{"id": 3}]}', 0, 1),
        (b'{"conversations": [{"chat_messages": [{"text": "x"}]}]}', 1, 0),
    ],
)
def test_hostile_files_cost_themselves_only(
    memory: Conversations, content: bytes, added: int, skipped: int
) -> None:
    report = take(memory, content)
    assert (report.chats_added, len(report.skipped)) == (added, skipped)
    for chat in memory.chats.listed():
        memory.messages.tree(chat.id).path()


def test_what_is_nested_too_deeply_is_refused(memory: Conversations) -> None:
    deep = b"[" * 20_000 + b"]" * 20_000
    with pytest.raises(ImportRefused, match="nested too deeply"):
        take(memory, b'[{"chat_messages": ' + deep + b"}]")
    (skipped,) = take(memory, b'{"messages": ' + deep + b"}").skipped
    assert "nested too deeply" in skipped.why


def test_circles_strange_ids_and_clashes_lose_no_message(memory: Conversations) -> None:
    def node(id: str, parent: str, text: str, used: int = 0) -> MessageNode:
        return MessageNode(id, parent, "user", text, NOW, used=used)

    ids = ("aaaaaaaa", "bbbbbbbb", "cccccccc")
    circle = (
        node(ids[0], ids[1], "a"),
        node(ids[1], ids[0], "b", 2**62),
        node(ids[2], "gone", "c"),
    )
    odd = (
        node("", "", "d"),
        node("x/..", "", "e"),
        node("x/..", "", "twice"),
        node("'", "x/..", "f"),
    )
    chats = [
        ChatDocument("11111111", NOW, NOW, circle),
        ChatDocument("../evil", NOW, NOW, odd, leaf="nowhere"),
        ChatDocument("22222222", NOW, NOW, (node(ids[0], "", "clash"),)),
    ]
    assert not memory.importer.take(chats).skipped
    texts = {
        node.text for chat in memory.chats.listed() for node in memory.messages.tree(chat.id).nodes
    }
    assert texts == {"a", "b", "c", "d", "e", "f", "clash"}
    assert memory.importer.take(chats).messages_added == 0


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("mapping", "message", "parent", "children", "author", "role", "content"),
                    *("parts", "chat_messages", "text", "uuid", "sender", "messages", "versions"),
                    *("steps", "style", "type", "currentlySelected", "createdAt", "format"),
                    *("chats", "conversations", "metadata", "attachments", "a"),
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(value=_JSON)
def test_any_json_is_taken_or_refused(memory: Conversations, value: Any) -> None:
    if isinstance(value, list | dict):
        take(memory, value)
    else:
        with pytest.raises(ImportRefused):
            take(memory, value)


def test_markdown_is_for_people(memory: Conversations) -> None:
    take(memory, chatgpt_export())
    (document,) = documents(memory)
    text = to_markdown(document, "Lenses")
    assert text.startswith("# Lenses\n\n2024-11-22 11:39 · gpt-4o\n\n## You · 2024-11-22 11:39\n")
    assert "*Version 1 of 2; the others are not in this file.*" in text
    assert "Called `python`:\n\n```json\nprint(1)\n```" in text
    assert "Let me see." not in text
    assert text.endswith("A fast one.\n")
    assert "> Let me see." in to_markdown(document, "Lenses", has_thinking=True)
    interrupted = replace(document.messages[0], state="interrupted")
    told = to_markdown(replace(document, messages=(interrupted,), leaf=interrupted.id), "x")
    assert "· interrupted\n" in told


def test_exports_never_overwrite_and_leave_nothing_half_written(tmp_path: Path) -> None:
    file = tmp_path / "out.md"
    file.write_text("mine")
    with pytest.raises(ExportExists):
        write_export(file, [b"theirs"])
    assert file.read_text() == "mine"

    def failing() -> Iterator[bytes]:
        yield b"half"
        raise ImportRefused("the store failed")

    with pytest.raises(ImportRefused):
        write_export(file, failing(), is_overwriting=True)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]
    write_export(file, [b"theirs"], is_overwriting=True)
    assert file.read_text() == "theirs"
    for place in (tmp_path / "no" / "such.md", tmp_path):
        with pytest.raises(ExportRefused):
            write_export(place, [b""])


@pytest.mark.parametrize(
    "title",
    ["", "a/b\\c", "../../etc/passwd", "\x1b[31m", "\ud800", "." * 300, "漢字", "con:\n|?*"],
)
def test_names_of_exported_files_are_harmless(title: str) -> None:
    name = file_name(title, "2026-12-01", ".md")
    assert name.startswith("2026-12-01-")
    assert name.endswith(".md")
    assert len(name.encode()) < 255
    assert not set(name) & set("/\\\x1b\n:|?*")
