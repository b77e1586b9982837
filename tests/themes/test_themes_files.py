"""Theme files of the user: what is good is taken, what is bad is said, nothing crashes."""

import asyncio
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tui import toml_files as watch_module
from tui.themes import DARK, ThemeSet, builtin_themes_dir, load_themes, watch_themes

P = 'primary = "red"\n'
V = P + "[variables]\n"
BAD = {
    "unknown key": (P + 'acent = "blue"', "unknown key 'acent'. Did you mean accent?"),
    "no primary": ('accent = "blue"', "must set primary"),
    "bad colour": ('primary = "#12"', "primary must be a colour"),
    "words for a colour": ('primary = "rather red"', "primary must be a colour"),
    "number for a colour": ("primary = 3", "primary must be text in quotes"),
    "text for dark": (P + 'dark = "yes"', "dark must be true or false"),
    "true for a number": (P + 'text_alpha = true', "text_alpha must be a number"),
    "out of range": (P + 'luminosity_spread = 7', "from 0 to 1"),
    "not a number": (P + 'luminosity_spread = nan', "from 0 to 1"),
    "variables no table": (P + 'variables = 1', "variables must be a table"),
    "unknown variable": (V + 'memory-lnik = "red"', "Did you mean memory-link?"),
    "bad variable colour": (V + 'memory-link = "rd"', "memory-link must be a col"),
    "bad own of Textual": (V + 'border = "#ggg"', "border must be a colour"),
    "bad opacity": (V + 'border = "red x%"', "border must be a colour"),
    "bad style": (V + 'link-style = "boldish"', "link-style must be text styles"),
    "auto for a border": (V + 'border = "auto 50%"', "border must be a colour"),
    "auto for ours": (V + 'key-hint = "auto"', "key-hint must be a colour"),
    "number variable": (V + 'border = 1', "border must be text in quotes"),
    "reference": (V + 'border = "$primary"', "border must be a colour"),
    "no shade": (V + 'primary-lighten-1 = "red 50%"', "cannot be used together"),
    "no TOML": ("primary = red", "not valid TOML"),
    "name with comma": ('name = "a,b"\nprimary = "red"', "without commas"),
    "empty name": ('name = ""\nprimary = "red"', "Its name"),
    "name with escape": ('name = "\\u001b"\nprimary = "red"', "Its name"),
    "nested": ("x = " + "[" * 5000, "nested too deeply"),
    "long": ("#" * 100_000, "larger than 64 KiB"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "sentence"), BAD.values(), ids=BAD.keys())
def test_a_bad_file_is_a_sentence(text: str, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    found = load_themes([builtin_themes_dir(), tmp_path])
    ((path, problem),) = found.problems
    assert path == file
    assert sentence in problem
    assert problem.isprintable()
    assert problem[-1] in ".?"
    assert DARK in found.themes


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b'primary = "\xe9"', b"\x00"])
def test_bytes_that_are_no_text_are_a_sentence(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_bytes(data)
    assert len(load_themes([tmp_path]).problems) == 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=80), st.text(max_size=20), st.text(max_size=20))
def test_nothing_in_a_file_crashes(tmp_path: Path, data: bytes, name: str, value: str) -> None:
    (tmp_path / "bytes.toml").write_bytes(data)
    quoted = repr(value).replace("'", '"')
    text = f'primary = {quoted}\n[variables]\nborder = {quoted}\n"{name}" = {quoted}\n'
    (tmp_path / "text.toml").write_text(text, encoding="utf-8", errors="replace")
    assert len(load_themes([tmp_path]).problems) + len(load_themes([tmp_path]).themes) == 2


def test_a_good_file_needs_only_a_main_colour(tmp_path: Path) -> None:
    (tmp_path / "sea.toml").write_bytes(b'\xef\xbb\xbfprimary = "#0af"\r\n')
    found = load_themes([tmp_path, tmp_path / "missing"])
    assert found.problems == ()
    assert found.themes["sea"].primary == "#0af"


def test_every_way_to_write_a_colour(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(
        'primary = "ansi_blue"\nansi = true\n[variables]\nborder = "rgb(1, 2, 3) 40%"\n'
        'text-muted = "auto 60%"\nlink-background = "initial"\nlink-style = "bold not underline"\n'
        'user-turn = "hsl(10, 50%, 50%)"\npane-border = "transparent"\n'
    )
    assert load_themes([tmp_path]).problems == ()


def test_a_later_folder_wins_by_name_and_a_copy_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(f'name = "{DARK}"\nprimary = "#010203"\n')
    (tmp_path / "b.toml").write_text(f'name = "{DARK}"\nprimary = "#040506"\n')
    found = load_themes([builtin_themes_dir(), tmp_path])
    assert found.themes[DARK].primary == "#010203"
    assert [path.name for path, _ in found.problems] == ["b.toml"]


def test_what_is_no_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "gone.toml").symlink_to(tmp_path / "nowhere")
    (tmp_path / "notes.txt").write_text("no theme")
    assert len(load_themes([tmp_path]).problems) == 3
    assert len(load_themes([tmp_path / "notes.txt"]).problems) == 1


async def test_saving_a_file_brings_the_themes_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch_module, "_RESCAN_SECONDS", 1)
    folder = tmp_path / "themes"
    watch = watch_themes([builtin_themes_dir(), folder])

    async def after(change: str) -> ThemeSet:
        waiting = asyncio.ensure_future(anext(watch))
        await asyncio.sleep(0.2)
        folder.mkdir(exist_ok=True)
        (folder / "sea.toml").write_text(change)
        return await asyncio.wait_for(waiting, 30)

    assert (await after('primary = "#0000ff"')).themes["sea"].primary == "#0000ff"
    broken = await after("primary = ")
    assert "sea" not in broken.themes
    assert [path.name for path, _ in broken.problems] == ["sea.toml"]
    assert (await after('primary = "#00ffff"')).themes["sea"].primary == "#00ffff"
    (folder / "sea.toml").unlink()
    folder.rmdir()
    while "sea" in (await asyncio.wait_for(anext(watch), 30)).themes:
        continue
    assert "sea" in (await after('primary = "#ff00ff"')).themes
    await watch.aclose()
