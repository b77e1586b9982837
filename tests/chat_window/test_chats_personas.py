"""Persona files and what a chat keeps of one: tables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.protocol import Sampling
from tui.assistant.sampling_choice import (
    BadSampling,
    SamplingChoice,
    checked_sampling,
    kept_sampling,
    typed_value,
)
from tui.assistant.style import AnswerStyle
from tui.personas.load import load_personas
from vault.conversations.values import ChatOptions

GOOD = """
name = "[red]Übersetzer[/]"
about = "Translates\\n lines"
system_prompt = "Translate."
thinking = false
memory = false
memory_scope = "tag:work"
[sampling]
temperature = 0.25
top_k = 40
seed = "auto"
max_tokens = 300
stop = ["END"]
"""


def test_a_file_is_a_persona(tmp_path: Path) -> None:
    (tmp_path / "any.toml").write_text(GOOD)
    found = load_personas(tmp_path)
    assert found.problems == ()
    persona = found.called(" [RED]übersetzer[/]")
    assert persona is not None
    assert (persona.about, persona.has_memory) == ("Translates lines", False)
    options = persona.options("model")
    assert (options.persona, options.memory_scope) == ("[red]Übersetzer[/]", "tag:work")
    style = AnswerStyle("mine", Sampling(seed=3, min_p=0.1), 9, ("x",)).of_chat(options)
    assert style == AnswerStyle(
        "Translate.", Sampling(temperature=0.25, top_k=40, min_p=0.1), 300, ("END",)
    )
    assert kept_sampling(options.sampling).thinking is False


def test_a_file_wins_over_what_comes_along_and_is_called_as_its_file(tmp_path: Path) -> None:
    (tmp_path / "brief.toml").write_text('system_prompt = "One word."')
    found = load_personas(tmp_path)
    brief = found.called("Brief")
    assert brief is not None
    assert (brief.name, brief.system_prompt) == ("brief", "One word.")
    assert "Brief" not in found.personas


def test_without_a_folder_there_are_those_that_come_along(tmp_path: Path) -> None:
    found = load_personas(tmp_path / "none")
    assert len(found.personas) >= 4
    assert found.problems == ()
    assert found.hint("Edtor") == " Did you mean Editor?"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('sytem_prompt = "x"', ("'sytem_prompt'", "Did you mean system_prompt?")),
        ("system_prompt = 3", ("system_prompt must be text in quotes", "3")),
        ("memory = 1", ("memory must be true or false",)),
        ('thinking = "maybe"', ("thinking must be true, false",)),
        ("sampling = 1", ("[sampling]",)),
        ("[sampling]\ntemprature = 1", ("in [sampling]", "Did you mean temperature?")),
        ("[sampling]\ntemperature = 9", ("temperature must be a number from 0 to 5",)),
        ("[sampling]\ntop_k = 1.5", ("top_k must be a whole number",)),
        ("[sampling]\nthinking = true", ("above [sampling]",)),
        ("[sampling]\nsystem_prompt = 'x'", ("unknown key 'system_prompt'",)),
        ('name = "two\\nlines"', ("one line",)),
        ("name = ''", ("one line",)),
        ("name = \n", ("not valid TOML",)),
        ("\xff", ("not UTF-8",)),
        ("a = " + "[" * 5000, ()),
    ],
    ids=range(15),
)
def test_a_bad_file_is_named_with_its_key(
    tmp_path: Path, text: str, words: tuple[str, ...]
) -> None:
    (tmp_path / "bad.toml").write_bytes(text.encode("latin-1"))
    (tmp_path / "good.toml").write_text("")
    found = load_personas(tmp_path)
    ((path, problem),) = found.problems
    assert path.name == "bad.toml"
    assert not [each for each in words if each not in problem], problem
    assert "good" in found.personas


def test_what_is_no_file_is_told_and_two_of_a_name_too(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "a.toml").write_text('name = "Same"')
    (tmp_path / "b.toml").write_text('name = "SAME"')
    problems = {path.name: text for path, text in load_personas(tmp_path).problems}
    assert set(problems) == {"folder.toml", "pipe.toml", "b.toml"}
    assert "a.toml" in problems["b.toml"]


@pytest.mark.parametrize(
    "kept", ["", "{", "[1]", '{"temperature": 99}', '{"no": 1}', '"x"', "[" * 5000], ids=range(7)
)
def test_what_a_chat_keeps_badly_is_left_out(kept: str) -> None:
    assert kept_sampling(kept) == SamplingChoice()
    assert AnswerStyle().of_chat(ChatOptions(sampling=kept)) == AnswerStyle()


def test_what_is_bad_leaves_the_good_alone() -> None:
    kept = kept_sampling('{"temperature": 0.5, "top_p": 7, "thinking": true, "seed": null}')
    assert dict(kept.values) == {"temperature": 0.5, "seed": None}
    assert kept.thinking is True


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "temperature": st.none() | st.floats(0, 5),
            "top_k": st.none() | st.integers(0, 1000),
            "seed": st.none() | st.integers(0, 2**63 - 1),
            "presence_penalty": st.floats(-10, 10),
            "stop": st.lists(st.text("ab\n界", min_size=1, max_size=9), max_size=4).map(tuple),
        },
    ),
    st.sampled_from([None, True, False]),
)
def test_what_is_kept_comes_back(values: Mapping[str, object], thinking: bool | None) -> None:
    choice = checked_sampling({**values, "thinking": thinking})
    assert kept_sampling(choice.to_json()) == choice


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("temperature", "0.5", 0.5),
        ("temperature", " auto ", None),
        ("top_k", "40", 40),
        ("seed", "7", 7),
        ("max_tokens", "auto", None),
    ],
)
def test_a_typed_value_is_read(name: str, text: str, value: object) -> None:
    assert typed_value(name, text) == value


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("temperature", "hot", "a number from 0 to 5"),
        ("top_k", "-1", "a whole number"),
        ("temprature", "1", "Did you mean temperature?"),
        ("presence_penalty", "auto", "a number from -10 to 10"),
        ("temperature", "nan", "a number"),
    ],
)
def test_a_typed_value_is_refused_in_words(name: str, text: str, words: str) -> None:
    with pytest.raises(BadSampling, match=words.replace("?", ".")):
        typed_value(name, text)
