"""The folder an engine is offered in: private, locked, and never another user's."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.errors import SharingUnavailable
from engine.sharing.attach import attach
from engine.sharing.peer import is_own_peer
from engine.sharing.place import LONGEST_ADDRESS, SharingPlace
from engine.sharing.window import WindowEngine
from tests.engine.sharing_harness import company, guest_of, raw_guest, sharing_host
from tests.engine.subjects import Subject, mlx_subject, scripted_subject
from tests.engine.watched_client import WatchedClient

NOBODY = 65534
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="becoming another user needs root")


@pytest.fixture
def subject(tmp_path: Path) -> Subject:
    return scripted_subject(tmp_path / "scripted")


def test_missing_folders_are_made_for_the_user_alone(tmp_path: Path) -> None:
    place = SharingPlace(tmp_path / "session" / "zibaldone")
    place.make_safe()
    assert place.is_safe
    modes = {folder.stat().st_mode & 0o777 for folder in (place.folder, place.folder.parent)}
    assert modes == {0o700}


@pytest.mark.parametrize("mode", [0o755, 0o710, 0o701, 0o777])
async def test_a_folder_others_may_enter_is_refused(
    tmp_path: Path, subject: Subject, mode: int
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    folder.chmod(mode)
    news: list[tuple[str, str]] = []
    window = WindowEngine(subject.launch, folder, lambda _: None, lambda *role: news.append(role))
    async with window.client as client:
        assert not await window.is_guest()
        assert (await client.load(subject.model)).path == subject.model
        assert news == [
            (
                "alone",
                "This window's engine is not shared: others may enter its folder; "
                f"keep them out with: chmod 700 {folder}.",
            )
        ]
        assert list(folder.iterdir()) == []
        assert await attach(folder) is None


@pytest.mark.parametrize("kind", ["file", "link", "other owner", "unmakeable"])
def test_what_is_no_folder_of_ours_is_refused(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "run"
    match kind:
        case "file":
            folder.write_text("")
        case "link":
            (tmp_path / "real").mkdir(mode=0o700)
            folder.symlink_to(tmp_path / "real")
        case "other owner":
            if os.geteuid() != 0:
                pytest.skip("giving a folder away needs root")
            folder.mkdir(mode=0o700)
            os.chown(folder, NOBODY, NOBODY)
        case _:
            (tmp_path / "file").write_text("")
            folder = tmp_path / "file" / "run"
    place = SharingPlace(folder)
    assert not place.is_safe
    with pytest.raises(SharingUnavailable, match="is not shared: ") as caught:
        place.make_safe()
    assert str(caught.value).endswith(".")


def test_one_lock_a_folder(tmp_path: Path) -> None:
    place = SharingPlace(tmp_path / "run")
    place.make_safe()
    first = place.lock()
    assert first is not None
    assert place.lock() is None
    first.release()
    again = place.lock()
    assert again is not None
    again.release()


async def test_a_path_too_long_for_the_kernel(
    tmp_path: Path, subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ("long " * 20) / "run"
    assert len(str(folder)) > LONGEST_ADDRESS
    place = SharingPlace(folder)
    if sys.platform == "linux":
        async with sharing_host(subject.launch, subject.model, folder), guest_of(folder) as guest:
            assert (await guest.say("hello")).reason == "stop"
        monkeypatch.setattr("engine.sharing.place.sys", SimpleNamespace(platform="darwin"))
    place.make_safe()
    with pytest.raises(SharingUnavailable, match="is too long"):
        place.listen()
    assert place.connect() is None


KNOCK = """
import os, socket, sys
os.setgid({id}); os.setuid({id})
door = socket.socket(socket.AF_UNIX)
door.connect(sys.argv[1])
door.settimeout(10)
try:
    sys.stdout.write(repr(door.recv(100)))
except ConnectionResetError:
    sys.stdout.write(repr(b""))
"""
LISTEN = """
import os, socket, sys
os.setgid({id}); os.setuid({id})
door = socket.socket(socket.AF_UNIX)
door.bind(sys.argv[1])
door.listen()
sys.stdout.write("listening"); sys.stdout.flush()
door.accept()[0].recv(1)
"""


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder that every user can enter, which pytest's own are not."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@needs_root
async def test_another_user_hears_not_a_word(public_folder: Path, subject: Subject) -> None:
    """Even where folder and socket would let them in."""
    folder = public_folder / "run"
    async with sharing_host(subject.launch, subject.model, folder) as shared:
        async with raw_guest(folder) as ours:
            assert await ours.reader.read(10)
        folder.chmod(0o755)
        shared.place.socket_file.chmod(0o666)
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", KNOCK.format(id=NOBODY), shared.place.socket_file),
            stdout=asyncio.subprocess.PIPE,
        )
        heard, _ = await child.communicate()
        assert heard == b"b''"
        assert (await shared.watched.say("hello")).reason == "stop"


@needs_root
def test_another_users_socket_is_seen_through(public_folder: Path) -> None:
    folder = public_folder / "run"
    folder.mkdir()
    folder.chmod(0o777)
    place = SharingPlace(folder)
    command = [sys.executable, "-c", LISTEN.format(id=NOBODY), str(place.socket_file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.read(9) == b"listening"
        connection = place.connect()
        assert connection is not None
        with connection:
            assert not is_own_peer(connection)
        assert child.wait(10) == 0


async def test_reports_reach_guests_within_a_second(subject: Subject) -> None:
    async with company(subject.launch, subject.model) as (host, guest, _):
        loop = asyncio.get_running_loop()
        answering = asyncio.create_task(host.say("slowly"))
        asked = loop.time()
        while not (guest.reports and guest.reports[-1].rows_running):
            await asyncio.sleep(0.01)
        assert loop.time() - asked < 1
        await answering
        ended = loop.time()
        while guest.reports[-1].rows_running:
            await asyncio.sleep(0.01)
        assert loop.time() - ended < 1
        assert guest.reports[-1] == host.reports[-1]


async def test_the_real_engine_answers_everybody_alike(tiny_model: Path) -> None:
    subject = mlx_subject("tiny", tiny_model)
    async with sharing_host(subject.launch, subject.model) as shared:
        folder = shared.place.folder
        async with guest_of(folder) as first, guest_of(folder) as second:
            people: tuple[WatchedClient, ...] = (first, second, shared.watched)

            async def answer(watched: WatchedClient) -> str:
                await watched.say("which lens?", "chat", max_tokens=12)
                return watched.partial

            assert len(set(await asyncio.gather(*map(answer, people)))) == 1
            usage = (await first.say("which lens?", "chat", max_tokens=12)).usage
            assert usage.reused_tokens > 0
            assert (await first.client.plan("")).weights_bytes > 0
