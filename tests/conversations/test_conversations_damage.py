"""Damaged, missing, newer and hostile files: what can be saved is saved, nothing is deleted."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import apsw
import pytest

from vault.conversations.database import connect
from vault.conversations.errors import (
    ConversationError,
    NotStored,
    StoreDamaged,
    StoreGone,
    StoreNewer,
    StoreUnusable,
)
from vault.conversations.opening import open_database
from vault.conversations.schema import STEPS
from vault.conversations.store import Conversations, conversations_file, open_conversations
from vault.conversations.values import Draft, Extras, Usage

HARDEN = os.environ.get("ZIB_HARDEN") == "1"
CHATS, TURNS = 6, 8
Answer = TypeVar("Answer")
LONG = "long " * 3000


def fill(store: Conversations) -> dict[str, str]:
    """Chats with short and long messages; returns the text of each message."""
    texts: dict[str, str] = {}
    for chat_number in range(CHATS):
        chat = store.chats.create(title=f"chat {chat_number}").id
        for turn in range(TURNS):
            text = f"question {chat_number}.{turn} {'字' * turn} {LONG if turn == 3 else ''}"
            extras = Extras(usage=Usage(generated=turn))
            node = store.messages.add(chat, Draft("user", text, extras=extras))
            texts[node.id] = text
    return texts


def found_in(store: Conversations) -> dict[str, str]:
    return {
        node.id: node.text
        for chat in store.chats.listed()
        for node in store.messages.tree(chat.id).nodes
    }


@pytest.fixture
def filled(data_dir: Path) -> tuple[Path, dict[str, str]]:
    with open_conversations(data_dir) as store:
        texts = fill(store)
    return conversations_file(data_dir), texts


def damaged_copies(file: Path) -> list[Path]:
    return sorted(file.parent.glob("*.damaged-*.sqlite"))


def test_bits_that_flip_anywhere_cost_little_and_never_the_program(
    filled: tuple[Path, dict[str, str]], data_dir: Path
) -> None:
    file, texts = filled
    whole = file.read_bytes()
    seed = random.randrange(1 << 32)
    sys.stdout.write(f"seed {seed}\n")
    chance = random.Random(seed)
    pages = range(0, len(whole), 4096)
    places = [0, 16, 20, 60, 100, 103]
    places += [page + chance.randrange(12) for page in pages] if HARDEN else []
    places += [chance.randrange(len(whole)) for _ in range(2000 if HARDEN else 16)]
    for place in places:
        broken = bytearray(whole)
        for offset in range(place, min(place + chance.choice((1, 1, 8, 300)), len(whole))):
            broken[offset] ^= 1 << chance.randrange(8)
        for old in file.parent.glob("chats*"):
            old.unlink()
        file.write_bytes(broken)
        try:
            with open_conversations(data_dir) as store:
                is_seen_at_once = bool(store.notices)
                found = mended(store, found_in)
                assert mended(store, lambda store: store.search.find("question").hits)
                assert mended(store, go_on) == "goes on"
        except StoreNewer:
            # The number of the version is one byte like any other.
            assert file.read_bytes() == bytes(broken)
            continue
        kept = sum(found.get(id) == text for id, text in texts.items())
        # A page holds a handful of messages; one may lead to others.
        assert kept >= len(texts) * 2 / 3, (place, kept)
        copies = damaged_copies(file)
        # What is noticed later was written to until then.
        assert not is_seen_at_once or copies[0].read_bytes() == bytes(broken)


def mended(store: Conversations, action: Callable[[Conversations], Answer]) -> Answer:
    try:
        return action(store)
    except StoreDamaged:
        store.mend()
        return action(store)


def go_on(store: Conversations) -> str:
    return store.messages.add(store.chats.create().id, Draft("user", "goes on")).text


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_a_truncated_file_is_set_aside(
    filled: tuple[Path, dict[str, str]], data_dir: Path, share: float
) -> None:
    file, texts = filled
    whole = file.read_bytes()
    cut = whole[: int(len(whole) * share)]
    file.write_bytes(cut)
    with open_conversations(data_dir) as store:
        found = found_in(store)
        assert {id: text for id, text in found.items() if id in texts}.items() <= texts.items()
        if share:
            (aside,) = damaged_copies(file)
            assert aside.read_bytes() == cut
            (notice,) = store.notices
            assert "was damaged" in notice
            assert aside.name in notice
            assert f"{len(found)} messages were saved" in notice
        assert len(found) >= len(texts) * max(0, share - 0.5)
    with open_conversations(data_dir) as store:
        assert store.notices == ()


def test_what_is_only_in_the_log_is_saved_from_it(data_dir: Path, tmp_path: Path) -> None:
    file = conversations_file(data_dir)
    store = open_conversations(data_dir)
    texts = fill(store)
    log = file.with_name(file.name + "-wal").read_bytes()
    store.close()
    for name, content in (("", b""), ("", None), ("", b"not a database at all" * 500)):
        for old in file.parent.glob("chats*"):
            old.unlink()
        if content is not None:
            (file.with_name(file.name + name)).write_bytes(content)
        file.with_name(file.name + "-wal").write_bytes(log)
        with open_conversations(data_dir) as again:
            assert found_in(again) == texts
            assert len(again.notices) == 1
        assert next(file.parent.glob("*.damaged-*-wal")).read_bytes() == log


def test_messages_whose_chat_or_parent_is_lost_are_kept(
    filled: tuple[Path, dict[str, str]], data_dir: Path
) -> None:
    file, texts = filled
    connection = connect(file)
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("DELETE FROM chat WHERE title = 'chat 2'")
    lost = connection.execute("SELECT id FROM message WHERE key = 4").get
    connection.execute("DELETE FROM message WHERE key = 4")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    content = bytearray(file.read_bytes())
    content[0] = 0
    file.write_bytes(content)
    with open_conversations(data_dir) as store:
        assert found_in(store) == {id: text for id, text in texts.items() if id != lost}
        sizes = [len(store.messages.tree(chat.id).path()) for chat in store.chats.listed()]
        assert sorted(sizes) == [TURNS - 1, *[TURNS] * (CHATS - 1)], "each is one line still"


def test_a_crash_while_a_damaged_file_is_set_aside_loses_nothing(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = conversations_file(data_dir)
    log_file = file.with_name(file.name + "-wal")
    with open_conversations(data_dir) as store:
        texts = fill(store)
        store.database.empty_log()
        texts |= fill(store)
        broken, log = b"\0" * 16 + file.read_bytes()[16:], log_file.read_bytes()
    real = Path.rename
    for survived in range(4):
        for old in file.parent.glob("chats*"):
            old.unlink()
        file.write_bytes(broken)
        log_file.write_bytes(log)
        left = survived

        def rename(self: Path, target: Path) -> Path:
            nonlocal left
            if self.name.startswith(("chats", ".chats")):
                left -= 1
                if left < 0:
                    raise KeyboardInterrupt
            return real(self, target)

        monkeypatch.setattr(Path, "rename", rename)
        with pytest.raises(KeyboardInterrupt):
            open_conversations(data_dir)
        monkeypatch.undo()
        with open_conversations(data_dir) as store:
            assert found_in(store) == texts
        assert [copy.read_bytes() for copy in damaged_copies(file)] == [broken]
        (kept,) = file.parent.glob("*.damaged-*-wal")
        assert kept.read_bytes() == log


@pytest.mark.parametrize("kind", ["folder", "link", "fifo", "closed folder", "file as folder"])
def test_what_is_no_file_of_ours_is_refused_and_left(data_dir: Path, kind: str) -> None:
    file = conversations_file(data_dir)
    file.parent.mkdir(parents=True)
    if kind == "folder":
        file.mkdir()
    elif kind == "link":
        file.symlink_to(data_dir / "elsewhere")
    elif kind == "fifo":
        os.mkfifo(file)
    elif kind == "file as folder":
        file.parent.rmdir()
        file.parent.write_text("mine")
    elif os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    else:
        file.parent.parent.chmod(0o500)
        file.parent.rmdir()
    before = sorted(path.name for path in data_dir.rglob("chats*"))
    with pytest.raises(StoreUnusable) as caught:
        open_conversations(data_dir)
    assert str(file) in str(caught.value)
    assert sorted(path.name for path in data_dir.rglob("chats*")) == before


def test_a_database_of_another_program_is_set_aside_whole(data_dir: Path) -> None:
    file = conversations_file(data_dir)
    file.parent.mkdir(parents=True)
    connection = apsw.Connection(str(file))
    connection.execute("PRAGMA application_id = 7; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    connection.close()
    content = file.read_bytes()
    with open_conversations(data_dir) as store:
        assert len(store.notices) == 1
        assert store.chats.listed() == []
    assert [copy.read_bytes() for copy in damaged_copies(file)] == [content]


def test_a_file_of_a_newer_zib_is_refused_and_left(
    filled: tuple[Path, dict[str, str]], data_dir: Path
) -> None:
    file, _ = filled
    connection = connect(file)
    connection.execute(f"PRAGMA user_version = {len(STEPS) + 1}")
    connection.close()
    content = file.read_bytes()
    with pytest.raises(StoreNewer, match="newer zib"):
        open_conversations(data_dir)
    assert file.read_bytes() == content


def test_a_step_to_a_new_version_keeps_a_copy_and_is_all_or_nothing(
    filled: tuple[Path, dict[str, str]], data_dir: Path
) -> None:
    file, texts = filled
    broken = (*STEPS, "ALTER TABLE chat ADD COLUMN colour TEXT; INSERT INTO nowhere VALUES (1)")
    with pytest.raises(ConversationError):
        open_database(file, broken)
    with open_conversations(data_dir) as store:
        assert found_in(store) == texts
    good = (*STEPS, "ALTER TABLE chat ADD COLUMN colour TEXT NOT NULL DEFAULT 'grey'")
    opened = open_database(file, good)
    with opened.database.reading() as connection:
        assert connection.pragma("user_version") == len(good)
        assert connection.execute("SELECT colour FROM chat LIMIT 1").get == "grey"
    opened.database.close()
    (backup,) = file.parent.glob("*.before-version-2.sqlite")
    assert backup.stat().st_mode & 0o777 == 0o600
    with Conversations(backup) as old:
        assert found_in(old) == texts
    with pytest.raises(StoreNewer):
        open_conversations(data_dir)


def test_a_file_deleted_or_replaced_while_open_is_noticed(data_dir: Path) -> None:
    file = conversations_file(data_dir)
    with open_conversations(data_dir) as store:
        chat = store.chats.create().id
        file.unlink()
        with pytest.raises(StoreGone, match="deleted or replaced"):
            store.messages.add(chat, Draft("user", "lost?"))
        store.reopen()
        # SQLite leaves its log behind, and what is in there is had back.
        assert {each.id for each in store.chats.listed()} <= {chat}
        again = store.chats.create().id
        file.write_bytes(file.read_bytes())
        store.messages.add(again, Draft("user", "the same file"))
        copy = file.with_name("copy")
        copy.write_bytes(file.read_bytes())
        copy.replace(file)
        with pytest.raises(StoreGone):
            store.chats.listed()


def test_two_windows_that_see_the_damage_put_it_right_once(
    filled: tuple[Path, dict[str, str]], data_dir: Path
) -> None:
    file, texts = filled
    with open_conversations(data_dir) as one, open_conversations(data_dir) as other:
        one.mend()
        other.mend()
        assert found_in(one) == found_in(other) == texts
        other.messages.add(other.chats.create().id, Draft("user", "seen by both"))
        assert "seen by both" in found_in(one).values()
    assert len(damaged_copies(file)) == 1


def test_a_full_disk_costs_only_what_did_not_fit(data_dir: Path) -> None:
    with open_conversations(data_dir) as store:
        chat = store.chats.create().id
        store.messages.add(chat, Draft("user", "before"))
        database = store.database
        pages = database._writer.pragma("page_count")
        database._writer.pragma("max_page_count", pages + 4)
        with pytest.raises(NotStored, match="disk is full"):
            add_many(store, chat)
        before = found_in(store)
        assert all(text in {"before", LONG} for text in before.values())
        database._writer.pragma("max_page_count", 1 << 30)
        store.messages.add(chat, Draft("user", "after"))
        assert [node.text for node in store.messages.tree(chat).path()][-1] == "after"
        assert database._writer.execute("PRAGMA integrity_check").get == "ok"


def add_many(store: Conversations, chat: str) -> None:
    for _ in range(50):
        store.messages.add(chat, Draft("user", LONG))


def test_folder_and_files_are_the_users_alone_and_writes_are_flushed(data_dir: Path) -> None:
    old = os.umask(0)
    try:
        with open_conversations(data_dir) as store:
            store.chats.create()
            folder = conversations_file(data_dir).parent
            assert folder.stat().st_mode & 0o777 == 0o700
            for path in folder.iterdir():
                assert path.stat().st_mode & 0o777 == 0o600, path
            for connection in (store.database._writer, store.database._reader):
                assert connection.pragma("synchronous") == 2
                assert connection.pragma("journal_mode") == "wal"
                assert connection.pragma("secure_delete") == 1
    finally:
        os.umask(old)
