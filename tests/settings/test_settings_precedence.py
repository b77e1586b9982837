"""Which source wins, for every key there is, and what the contract says of single keys."""

import typing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.settings import (
    ChatSettings,
    Loaded,
    Settings,
    SettingsError,
    Source,
    current,
    get,
    install,
    load_settings,
    render,
)
from tui.settings.keys import Key, all_keys
from tui.settings.render import value_of
from tui.settings.values import to_toml

SCALARS = [key for key in all_keys().values() if not key.is_table]


def other_values(key: Key) -> list[object]:
    """Three values of the key, each unlike the one before it, the first not the default."""
    if key.kind is bool:
        return [not key.default, key.default, not key.default]
    if typing.get_origin(key.kind) is typing.Literal:
        other, *more = [choice for choice in typing.get_args(key.kind) if choice != key.default]
        return [other, more[0] if more else key.default, other]
    if key.kind is str:
        return ["one", "two", "three"]
    if key.is_list:
        return [("one",), ("two\n", 'th"ree'), ("one", "two")]
    return [0.2, 0.3, 0.4] if key.kind is float else [3, 4, 5]


def as_text(key: Key, value: object) -> str:
    if key.is_list:
        return to_toml(value)
    return ("1" if value else "0") if key.kind is bool else str(value)


def write(path: Path, key: Key, value: object) -> Path:
    header = f"[{key.path[0]}]\n" if len(key.path) > 1 else ""
    path.write_text(f"{header}{key.path[-1]} = {to_toml(value)}\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("key", SCALARS, ids=lambda key: key.name)
def test_flag_beats_environment_beats_file_beats_default(key: Key, tmp_path: Path) -> None:
    in_file, in_environment, in_flag = other_values(key)
    missing = tmp_path / "missing.toml"
    file = write(tmp_path / "config.toml", key, in_file)
    assert key.variable is not None
    environ = {key.variable: as_text(key, in_environment)}
    flags = {key.name: in_flag}

    def outcome(loaded: Loaded) -> tuple[object, Source]:
        return value_of(loaded.settings, key), loaded.sources[key.name]

    assert outcome(load_settings(missing, {}, {})) == (key.default, Source("default"))
    assert outcome(load_settings(file, {}, {})) == (in_file, Source("file", str(file)))
    from_environment = (in_environment, Source("environment", key.variable))
    assert outcome(load_settings(file, environ, {})) == from_environment
    assert outcome(load_settings(file, environ, flags)) == (in_flag, Source("flag"))
    as_words = {key.name: as_text(key, in_flag)}
    assert outcome(load_settings(file, environ, as_words)) == (in_flag, Source("flag"))
    assert outcome(load_settings(file, {key.variable: ""}, {key.name: None})) == outcome(
        load_settings(file, {}, {})
    )


def test_variables_are_distinct_and_predictable() -> None:
    variables = [key.variable for key in SCALARS]
    assert len(set(variables)) == len(variables)
    assert {"ZIB_WIKI", "ZIB_CHAT_TEMPERATURE", "ZIB_BLAS", "ZIB_MEMORY_BATCH"} <= set(variables)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("8", 8),
        ("2.9", 2),
        ("1e3", 1000),
        (" 4 ", 4),
        ("0", 1),
        ("-3", 1),
        ("0.99", 1),
        ("nan", 1),
        ("inf", 1),
        ("-inf", 1),
        ("1e999", 1),
        ("many", 1),
        (" ", 1),
    ],
)
def test_memory_batch_is_floored_and_never_below_one(text: str, rows: int, tmp_path: Path) -> None:
    loaded = load_settings(tmp_path / "no.toml", {"ZIB_MEMORY_BATCH": text}, {})
    assert loaded.settings.memory_batch == rows


@pytest.mark.parametrize(
    ("toml", "rows"), [("2.9", 2), ("inf", 1), ("nan", 1), ("-1", 1), ("7", 7), ("1" * 400, None)]
)
def test_memory_batch_in_the_file(toml: str, rows: int | None, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f"memory_batch = {toml}\n")
    assert load_settings(file, {}, {}).settings.memory_batch == (rows or int(toml))


@given(st.text(st.characters(blacklist_characters="\0")))
def test_only_exactly_one_allows_private_media(text: str) -> None:
    loaded = load_settings(Path("/nowhere/config.toml"), {"ZIB_ALLOW_PRIVATE_MEDIA": text}, {})
    assert loaded.settings.allow_private_media is (text == "1")
    assert bool(loaded.warnings) is (text not in {"", "0", "1"})


@pytest.mark.parametrize(
    ("text", "wiki"),
    [
        ("  ~/notes \n", "~/notes"),
        ("~name/w", "~name/w"),
        ("   ", Settings().wiki),
        ("", Settings().wiki),
        ("~\\w", "~\\w"),
        ("/a b/c", "/a b/c"),
        ("w\udcff", "w\udcff"),
    ],
)
def test_wiki_is_trimmed_and_kept_as_written(text: str, wiki: str, tmp_path: Path) -> None:
    loaded = load_settings(tmp_path / "no.toml", {"ZIB_WIKI": text}, {})
    assert loaded.settings.wiki == wiki
    assert load_settings(tmp_path / "no.toml", {}, {"wiki": text}).settings.wiki == wiki


def test_a_blank_path_variable_leaves_the_file_in_force(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('wiki = "/from/file"\n')
    assert load_settings(file, {"ZIB_WIKI": "  "}, {}).settings.wiki == "/from/file"


def test_a_path_object_is_a_flag_too(tmp_path: Path) -> None:
    loaded = load_settings(tmp_path / "no.toml", {}, {"model": tmp_path})
    assert loaded.settings.model == str(tmp_path)


def test_auto_takes_a_number_back(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[chat]\ntemperature = 0.3\nmax_tokens = 9\n")
    environ = {"ZIB_CHAT_TEMPERATURE": "auto"}
    loaded = load_settings(file, environ, {"chat.max_tokens": "auto"})
    assert loaded.settings.chat == ChatSettings()


def test_unknown_variables_are_warnings_not_errors(tmp_path: Path) -> None:
    environ = {"ZIB_CHAT_TEMPERATUR": "1", "ZIB_XYZ": "", "ZIB_CORPORA": "/c", "OTHER": "1"}
    warnings = load_settings(tmp_path / "no.toml", environ, {}).warnings
    assert len(warnings) == 2
    assert "Did you mean ZIB_CHAT_TEMPERATURE?" in warnings[0]
    assert "ZIB_XYZ" in warnings[1]


def test_keys_come_from_their_table_and_cannot_be_changed(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[keys]\nsend-message = "ctrl+j"\n"open chat" = "f5"\n')
    loaded = load_settings(file, {}, {})
    assert dict(loaded.settings.keys) == {"send-message": "ctrl+j", "open chat": "f5"}
    with pytest.raises(TypeError):
        loaded.settings.keys["x"] = "y"  # type: ignore[index]  # what must fail
    with pytest.raises(AttributeError):
        loaded.settings.wiki = "x"  # type: ignore[misc]  # what must fail


def test_rows_name_every_key_once_with_its_source(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('theme = "ink"\n[keys]\na = "b"\n')
    loaded = load_settings(file, {"ZIB_UI_SHOW_GAUGE": "false"}, {"chat.top_k": 7})
    rows = {row.key: row for row in render(loaded)}
    assert list(rows) == list(all_keys())
    assert rows["theme"][1:] == ('"ink"', f"file {file}")
    assert rows["ui.show_gauge"][1:] == ("false", "environment ZIB_UI_SHOW_GAUGE")
    assert rows["chat.top_k"][1:] == ("7", "flag")
    assert rows["keys"][1:] == ('{"a" = "b"}', f"file {file}")
    assert rows["wiki"][1:] == ('"~/.zibaldone/wiki"', "default")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("wiki", "~/.zibaldone/wiki"),
        ("chat.temperature", "auto"),
        ("ui.show_wiki", "true"),
        ("engine.prefill_step", "128"),
        ("model", ""),
    ],
)
def test_get_prints_what_a_script_wants(name: str, value: str, tmp_path: Path) -> None:
    assert get(load_settings(tmp_path / "no.toml", {}, {}), name) == value


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("chat.temprature", "Did you mean chat.temperature?"),
        ("chat", "chat.top_k"),
        ("", "zib config"),
    ],
)
def test_get_of_no_key_says_which_there_are(name: str, hint: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=hint.replace("?", r"\?")):
        get(load_settings(tmp_path / "no.toml", {}, {}), name)


def test_installing_and_restoring_is_exact_and_newest_first() -> None:
    before = current()
    first, second = Settings(theme="one"), Settings(theme="two")
    restore_first = install(first)
    restore_second = install(second)
    assert current() is second
    with pytest.raises(SettingsError):
        restore_first()
    restore_second()
    assert current() is first
    with pytest.raises(SettingsError):
        restore_second()
    restore_first()
    assert current() is before
