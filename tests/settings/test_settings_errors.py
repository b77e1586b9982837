"""Every way a source can be wrong ends in one sentence that says where and what to do."""

import contextlib
import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui.settings import SettingsError, load_settings

WRONG_FILES = {
    "unknown key": (
        b'theme = "a"\nmodle = "x"\n',
        r"line 2: unknown key modle\. Did you mean model\?",
    ),
    "unknown in table": (
        b"[chat]\n\ntemprature = 1\n",
        r"line 3: .*Did you mean chat\.temperature\?",
    ),
    "unknown table": (b"[chatt]\ntop_k = 1\n", r"line 1: unknown key chatt\."),
    "unknown, nothing near": (b"zzzz = 1\n", r"line 1: .*`zib config` lists every key"),
    "deeper table": (b"[chat.temperature]\nx = 1\n", r"line 1: chat\.temperature must be a number"),
    "quoted dot": (b'"chat.top_k" = 1\n', "unknown key chat.top_k"),
    "unprintable key": (b'"\\u001b[31m" = 1\n', r"unknown key '\\x1b\[31m'"),
    "table given a value": (b"chat = 1\n", r"line 1: chat is a table"),
    "list of tables": (b"[[chat]]\ntop_k = 1\n", "chat is a table"),
    "text for number": (
        b'[chat]\ntop_p = "hot"\n',
        r'line 2: .* at most 1, or "auto"; it is \'hot\'',
    ),
    "out of range": (b"[chat]\ntemperature = -0.1\n", r"line 2: .*a number from 0 to 5"),
    "not finite": (b"[chat]\ntemperature = nan\n", r"line 2: .*a number from 0 to 5"),
    "float for int": (
        b"[engine]\nprefill_step = 1.5\n",
        r"line 2: .*a whole number from 1 to 65,536",
    ),
    "too large": (b"[chat]\nmax_tokens = " + b"9" * 300, "a whole number"),
    "bool for int": (b"[engine]\nprefill_step = true\n", "a whole number"),
    "int for bool": (b"[ui]\nshow_wiki = 1\n", r"line 2: .*true or false"),
    "number for permission": (b"allow_private_media = 1\n", "true or false"),
    "text for rows": (b'memory_batch = "2"\n', "memory_batch must be a number"),
    "number for text": (b"theme = 3\n", "text in quotes"),
    "date for path": (b"wiki = 2026-01-01\n", "text in quotes"),
    "NUL in a path": (b'wiki = "a\\u0000b"\n', "without NUL"),
    "choice": (b'[ui]\nanimations = "some"\n', r'one of "full", "basic", "none"'),
    "keys not text": (b'[keys]\nsend = ["a", "b"]\n', r"line 1: keys must be a table of lines"),
    "null is no value": (b'[chat]\ntop_k = "null"\n', "a whole number"),
    "after a long text": (b'[chat]\nsystem_prompt = """\ntop_k = 1\n"""\ntop_k = -1\n', "line 5"),
    "dotted": (b"\nchat.top_k = -1\n", "line 2"),
    "set twice": (
        b'wiki = "a"\nwiki = "b"\n',
        r"line 2, column \d+: This key is set a second time",
    ),
    "table twice": (b"[chat]\n[ui]\n[chat]\n", r"line 3, column \d+: "),
    "no quotes": (b"wiki = /home/me\n", r"line 1, column \d+: .*Text needs quotes"),
    "cut off": (b'wiki = "a', r"line 1"),
    "cut off at the end": (b"theme = [\n\n", r"line 1: .*\(the file ends here\)"),
    "nested": (b"x = " + b"[" * 5000, "nested too deeply"),
    "long integer": (b"x = " + b"9" * 5000, "config.toml: "),
    "lone CR": (b'theme = "a"\rwiki = "b"\n', "line 1"),
    "NUL": (b"theme = \x00\n", "line 1"),
    "Latin-1": (b'theme = "a"\nwiki = "caf\xe9"\n', r"line 2: not UTF-8\. Save the file as UTF-8"),
    "UTF-16": ('wiki = "a"'.encode("utf-16"), "saved as UTF-16"),
    "10 MB": (b"#" * 10_000_000, "larger than 1 MiB"),
}


@pytest.mark.parametrize(("data", "sentence"), WRONG_FILES.values(), ids=WRONG_FILES.keys())
def test_a_wrong_file_names_itself_and_the_line(data: bytes, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(data)
    with pytest.raises(SettingsError) as caught:
        load_settings(file, {}, {})
    message = str(caught.value)
    assert message.startswith(str(file))
    assert re.search(sentence, message)
    assert message.isprintable()
    assert len(message) < 400


@pytest.mark.parametrize("data", [b"\xef\xbb\xbftheme = 'x'\n", b"theme = 'x'\r\n\r\n[chat]\r\n"])
def test_a_byte_order_mark_and_windows_line_ends_are_fine(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(data)
    assert load_settings(file, {}, {}).settings.theme == "x"


def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="is a folder"):
        load_settings(tmp_path, {}, {})
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SettingsError, match="not a regular file"):
        load_settings(tmp_path / "pipe", {}, {})
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(SettingsError, match="Cannot read"):
        load_settings(tmp_path / "loop", {}, {})
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="Cannot read"):
        load_settings(tmp_path / "file" / "config.toml", {}, {})


@pytest.mark.parametrize(
    ("environ", "sentence"),
    [
        ({"ZIB_CHAT_TEMPERATURE": "warm"}, r"environment: ZIB_CHAT_TEMPERATURE must be a number"),
        ({"ZIB_CHAT_TEMPERATURE": "inf"}, "from 0 to 5"),
        ({"ZIB_CHAT_TOP_K": "null"}, "a whole number"),
        ({"ZIB_CHAT_TOP_K": "9" * 5000}, "a whole number"),
        ({"ZIB_UI_SHOW_WIKI": "maybe"}, "1 or 0, or true or false"),
        ({"ZIB_UI_ANIMATIONS": "FULL"}, "one of"),
        ({"ZIB_CHAT_SYSTEM_PROMPT": "caf\udce9"}, "text in UTF-8"),
    ],
)
def test_a_wrong_variable_is_named(environ: dict[str, str], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=sentence):
        load_settings(tmp_path / "no.toml", environ, {})


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        ({"chat.temprature": 1}, r"command line: unknown key chat.temprature. Did you mean"),
        ({"engine.prefill_step": 0}, r"command line: engine.prefill_step must be a whole number"),
        ({"chat.top_k": ""}, "a whole number"),
        ({"theme": 3}, "text in quotes"),
        ({"keys": "a=b"}, "a table"),
    ],
)
def test_a_wrong_flag_is_named(flags: dict[str, object], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=sentence):
        load_settings(tmp_path / "no.toml", {}, flags)


@settings(max_examples=200)
@given(
    st.binary(max_size=200)
    | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace"))
)
def test_no_bytes_at_all_end_in_anything_but_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    file = tmp_path_factory.getbasetemp() / "any.toml"
    file.write_bytes(data)
    with contextlib.suppress(SettingsError):
        load_settings(file, {}, {})
