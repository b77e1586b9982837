import asyncio
import contextlib
import os
import shutil
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from vault.index.index import Index
from vault.snapshot import Snapshot
from vault.vault import Vault, open_vault
from vault.watch import watch

PATIENCE_SECONDS = 20.0
FLOOD = 20_000 if os.environ.get("ZIB_HARDEN") == "1" else 600


class Watched:
    """Collects what `watch` reports."""

    def __init__(self) -> None:
        self.reports: list[frozenset[str]] = []
        self._news = asyncio.Event()

    async def collect(self, root: Path, stop: asyncio.Event) -> None:
        async for changed in watch(root, stop):
            self.reports.append(changed)
            self._news.set()

    async def until(self, *paths: str) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not set(paths) <= self.seen:
                self._news.clear()
                await self._news.wait()

    @property
    def seen(self) -> set[str]:
        return set().union(*self.reports)


@contextlib.asynccontextmanager
async def watching(root: Path) -> AsyncIterator[Watched]:
    watched, stop = Watched(), asyncio.Event()
    task = asyncio.create_task(watched.collect(root, stop))
    # A file of its own shows when the watcher is up: its first reports can only come from it.
    probe = next(path for path in (root / "articles", root) if path.is_dir()) / "probe.md"
    await asyncio.sleep(0.3)
    probe.write_text("up")
    await watched.until(str(probe.relative_to(root)))
    watched.reports.clear()
    yield watched
    stop.set()
    async with asyncio.timeout(PATIENCE_SECONDS):
        await task


def in_place(path: Path) -> None:
    path.write_text("in place")


def like_vim(path: Path) -> None:
    path.rename(path.with_name(path.name + "~"))
    path.write_text("vim")
    path.with_name(path.name + "~").unlink()


def by_rename(path: Path) -> None:
    path.with_name(".tmp").write_text("renamed over")
    path.with_name(".tmp").replace(path)


def same_size_and_time(path: Path) -> None:
    status = path.stat()
    path.write_bytes(b"#" * status.st_size)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize("save", [in_place, like_vim, by_rename, same_size_and_time])
async def test_every_way_of_saving_is_seen(wiki: Vault, save: Callable[[Path], None]) -> None:
    async with watching(wiki.root) as watched:
        save(wiki.root / "articles/Welcome.md")
        await watched.until("articles/Welcome.md")
        assert watched.seen == {"articles/Welcome.md"}


async def test_our_own_save_is_seen_once_and_its_temporary_file_never(wiki: Vault) -> None:
    async with watching(wiki.root) as watched:
        base = wiki.read("articles/Welcome.md")
        await asyncio.to_thread(wiki.save, "articles/Welcome.md", "# Welcome\n", base)
        await watched.until("articles/Welcome.md")
        (wiki.root / "articles/last.md").write_text("x")
        await watched.until("articles/last.md")
        assert sorted(path for report in watched.reports for path in report) == [
            *("articles/Welcome.md", "articles/last.md")
        ]


async def test_events_without_a_change_are_not_reported(wiki: Vault) -> None:
    async with watching(wiki.root) as watched:
        welcome = wiki.root / "articles/Welcome.md"
        os.utime(welcome)
        welcome.write_bytes(welcome.read_bytes())
        (wiki.root / "articles/picture.png").write_bytes(b"x")
        (wiki.root / "articles/.hidden.md").write_text("x")
        (wiki.root / "private.md").write_text("x")
        (wiki.root / "articles/last.md").write_text("x")
        await watched.until("articles/last.md")
        assert watched.seen == {"articles/last.md"}


async def test_folders_that_come_move_and_go_are_seen(wiki: Vault) -> None:
    async with watching(wiki.root) as watched:
        (wiki.root / "articles/new").mkdir()
        (wiki.root / "articles/new/a.md").write_text("x")
        await watched.until("articles/new/a.md")
        (wiki.root / "articles/new").rename(wiki.root / "articles/moved")
        await watched.until("articles/moved/a.md")
        watched.reports.clear()
        shutil.rmtree(wiki.root / "articles/moved")
        await watched.until("articles/moved/a.md")


async def test_a_folder_under_an_ignored_name_is_watched(tmp_path: Path) -> None:
    root = tmp_path / "node_modules" / ".venv" / "notes"
    root.mkdir(parents=True)
    (root / "a.md").write_text("x")
    async with watching(root) as watched:
        (root / "a.md").write_text("y")
        await watched.until("a.md")


async def test_a_replaced_root_is_watched_again(tmp_path: Path) -> None:
    root = tmp_path / "notes"
    root.mkdir()
    (root / "a.md").write_text("x")
    async with watching(root) as watched:
        shutil.rmtree(root)
        await asyncio.sleep(0.2)
        root.mkdir()
        (root / "a.md").write_text("y")
        await watched.until("a.md")
        watched.reports.clear()
        (root / "b.md").write_text("z")
        await watched.until("b.md")


async def test_a_name_that_is_not_utf8_does_not_end_the_watch(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x")
    name = os.fsdecode(b"caf\xe9.md")
    async with watching(tmp_path) as watched:
        (tmp_path / name).write_text("x")
        await watched.until(name)
        (tmp_path / "a.md").write_text("y")
        await watched.until("a.md")


async def test_a_linked_folder_reports_nothing_from_outside(tmp_path: Path) -> None:
    root, outside = tmp_path / "notes", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (root / "away").symlink_to(outside)
    async with watching(root) as watched:
        (outside / "secret.md").write_text("x")
        (root / "away/second.md").write_text("x")
        (root / "last.md").write_text("x")
        await watched.until("last.md")
        assert watched.seen == {"last.md"}


async def test_a_flood_into_a_new_folder_is_seen_whole(tmp_path: Path) -> None:
    async with watching(tmp_path) as watched:
        (tmp_path / "new").mkdir()
        names = [f"new/{number}.md" for number in range(1500)]
        for name in names:
            (tmp_path / name).write_text("x")
        await watched.until(*names)


async def test_the_index_follows_a_flood(tmp_path: Path) -> None:
    vault = open_vault(tmp_path / "wiki", None, tmp_path / "data")
    articles = vault.root / "articles"
    stop = asyncio.Event()
    async with asyncio.timeout(60 + FLOOD / 100):
        changes = watch(vault.root, stop)
        first = asyncio.ensure_future(anext(changes))
        while not first.done():
            # What was there before the watch began is no change to it.
            (articles / "Ready.md").write_text(f"{time.monotonic()}")
            await asyncio.sleep(0.2)
        vault.note_changes(await first)
        expected = vault.index.counts().pages + FLOOD
        writing = asyncio.create_task(asyncio.to_thread(write_many, articles, FLOOD))
        while vault.index.counts().pages < expected:
            await asyncio.to_thread(vault.note_changes, await anext(changes))
        assert time.monotonic() - await writing < 60
        stop.set()
        await changes.aclose()
    fresh = Index(vault.root, tmp_path / "fresh.sqlite")
    fresh.refresh()
    assert vault.index.counts() == fresh.counts()
    fresh.close()


def write_many(folder: Path, count: int) -> float:
    """Write so many pages; the moment of the last."""
    for number in range(count):
        place = folder / f"folder {number % 50}"
        place.mkdir(exist_ok=True)
        text = f"# Page {number}\n\nSee [[Page {number * 7 % count}]] #tag{number % 9}\n"
        (place / f"Page {number}.md").write_text(text)
    return time.monotonic()


async def test_cancelling_the_reader_ends_the_watch(tmp_path: Path) -> None:
    async def read() -> None:
        async for _ in watch(tmp_path, asyncio.Event()):
            pass

    task = asyncio.create_task(read())
    await asyncio.sleep(0.3)
    task.cancel()
    async with asyncio.timeout(PATIENCE_SECONDS):
        with pytest.raises(asyncio.CancelledError):
            await task


def test_an_unreadable_folder_is_not_called_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shut").mkdir()
    (tmp_path / "shut/a.md").write_text("x")
    (tmp_path / "b.md").write_text("x")
    snapshot = Snapshot(tmp_path)
    real = os.scandir

    def scandir(path: Path) -> "os._ScandirIterator[str]":
        if Path(path).name == "shut":
            raise PermissionError(13, "Permission denied")
        return real(path)

    (tmp_path / "b.md").unlink()
    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", scandir)
        assert snapshot.rescan() == {"b.md"}
    (tmp_path / "shut/a.md").write_text("y")
    assert snapshot.rescan() == {"shut/a.md"}


def test_a_root_that_is_away_reports_nothing(tmp_path: Path) -> None:
    root = tmp_path / "notes"
    root.mkdir()
    (root / "a.md").write_text("x")
    snapshot = Snapshot(root)
    root.rename(tmp_path / "unmounted")
    assert snapshot.rescan() == frozenset()
    (tmp_path / "unmounted").rename(root)
    assert snapshot.rescan() == frozenset()
