"""The settings of sampling and of stop strings mean what the engine takes."""

from __future__ import annotations

import typing
from pathlib import Path
from typing import Any

import pytest

from engine.protocol import Generate, Message, Sampling
from engine.serving.checks import check_request
from engine.serving.request_bounds import BOUNDS, LONGEST_STOP, MOST_STOPS
from tui.settings.errors import SettingsError
from tui.settings.keys import all_keys
from tui.settings.load import load_settings
from tui.settings.schema import ChatSettings
from tui.wiring import wire

SHARED = sorted(set(Sampling.__struct_fields__) & set(ChatSettings.__struct_fields__))


def test_every_number_of_sampling_has_a_setting() -> None:
    assert {*SHARED, "logit_bias"} == set(Sampling.__struct_fields__)


@pytest.mark.parametrize("name", SHARED)
def test_a_setting_within_its_bounds_is_within_the_engines(name: str) -> None:
    meta, bounds = all_keys()[f"chat.{name}"].meta, BOUNDS[name]
    low = meta.ge if meta.ge is not None else meta.gt
    assert low is not None
    assert meta.le is not None
    assert bounds.low <= low < meta.le <= bounds.high


def test_what_is_set_reaches_the_answer(home: Path) -> None:
    values: dict[str, Any] = {
        "temperature": 0.4,
        "top_p": 0.9,
        "top_k": 40,
        "min_p": 0.05,
        "seed": 2**63 - 1,
        "xtc_probability": 0.3,
        "xtc_threshold": 0.2,
        "repetition_penalty": 1.1,
        "repetition_window": 0,
        "presence_penalty": -0.5,
        "presence_window": 64,
        "frequency_penalty": 0.5,
        "frequency_window": 7,
    }
    assert sorted(values) == SHARED
    flags = {f"chat.{name}": value for name, value in values.items()}
    style = wire({**flags, "chat.stop": ("END", "\n\n")}).answer_style
    assert style.sampling == Sampling(**values)
    assert style.stop == ("END", "\n\n")
    check_request(Generate(1, (Message("user", "Hi"),), sampling=style.sampling, stop=style.stop))


def test_nothing_set_leaves_the_model_its_own_way(home: Path) -> None:
    style = wire().answer_style
    own = {"temperature", "top_p", "top_k", "min_p", "repetition_penalty", "seed"}
    assert all(getattr(style.sampling, name) is None for name in own)
    assert style.stop == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("END", ("END",)),
        ('["a", "b\\n"]', ("a", "b\n")),
        ("[", ("[",)),
        ('{"a": 1}', ('{"a": 1}',)),
        ("7", ("7",)),
        (" x ", (" x ",)),
        ("[]", ()),
    ],
)
def test_stop_strings_in_the_environment_are_one_text_or_a_list(
    text: str, expected: tuple[str, ...], tmp_path: Path
) -> None:
    loaded = load_settings(tmp_path / "none.toml", {"ZIB_CHAT_STOP": text}, {})
    assert loaded.settings.chat.stop == expected


@pytest.mark.parametrize(
    "value",
    ['"END"', '[""]', "[1]", f'["{"x" * (LONGEST_STOP + 1)}"]', str(["x"] * (MOST_STOPS + 1))],
)
def test_stop_strings_that_are_none_name_file_and_key(value: str, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f"[chat]\nstop = {value}\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"line 2.*chat\.stop.*a list of at most 64 texts"):
        load_settings(file, {}, {})
    stop = typing.get_args(all_keys()["chat.stop"].kind)
    assert stop[1] is Ellipsis
