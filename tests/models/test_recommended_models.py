"""The list of recommended models: what is in it, and what is said of a wrong one."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from engine.models.families import is_known_family
from engine.models.recommended import (
    RecommendedFileWrong,
    read_recommended,
    recommended_for,
)

GIB = 1024**3
ROW = """[[model]]
memory = 8
purpose = "chat"
repository = "org/name"
bytes = 100
licence = "mit"
"""


def test_every_size_has_one_model_a_purpose() -> None:
    rows = read_recommended()
    assert [(row.memory, row.purpose) for row in rows] == list(
        itertools.product((8, 16, 32, 64), ("chat", "vision", "memory"))
    )
    assert {row.repository.partition("/")[0] for row in rows} == {"mlx-community"}


def test_each_leaves_two_fifths_of_the_usable_memory_free() -> None:
    """Of three quarters of the machine, which is what Metal lets a program use."""
    for row in read_recommended():
        assert row.bytes < 0.6 * 0.75 * row.memory * GIB


def test_one_repository_has_one_size_and_licence() -> None:
    facts = {(row.repository, row.bytes, row.licence) for row in read_recommended()}
    assert len({repository for repository, _, _ in facts}) == len(facts)


@pytest.mark.parametrize("family", ["qwen3", "qwen3_5", "qwen3_5_moe"])
def test_their_families_can_be_run(family: str) -> None:
    assert is_known_family({"model_type": family})


@pytest.mark.parametrize(
    ("gibibytes", "size"),
    [
        (0.5, 8),
        (7.7, 8),
        (14.3, 8),
        (15.5, 16),
        (16, 16),
        (24, 16),
        (31.3, 32),
        (36, 32),
        (512, 64),
    ],
)
def test_the_row_of_a_machine(gibibytes: float, size: int) -> None:
    rows = recommended_for(read_recommended(), int(gibibytes * GIB))
    assert {row.memory for row in rows} == {size}
    assert len(rows) == 3


def test_an_empty_list_recommends_nothing() -> None:
    assert recommended_for((), 16 * GIB) == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ROW.replace("100", '"100"'), "line 5, bytes: Expected `int`, got `str`"),
        (ROW.replace("100", "0"), "line 5, bytes: Expected `int` >= 1"),
        (ROW.replace("8", "12"), "line 2, memory: Invalid enum value 12"),
        (ROW.replace("chat", "music"), "line 3, purpose: Invalid enum value 'music'"),
        (ROW.replace("org/name", "name"), "line 4, repository: 'name' is no organisation/name"),
        (ROW.replace("org/name", "../x"), "line 4, repository:"),
        (ROW.replace('"mit"', '""'), "line 6, licence: Expected `str` of length >= 1"),
        (ROW.replace('licence = "mit"', ""), "line 1, licence: Object missing required field"),
        (ROW + 'colour = "red"\n', "line 7, colour: Object contains unknown field"),
        (f"# first\n\n{ROW}\n{ROW}", "line 12, purpose: there is another row for 8 GiB and chat"),
        (ROW + "[[model]]\nmemory = 16\n", "line 7, purpose: Object missing required field"),
        ("[[models]]\n", "unknown key 'models'"),
        ("model = 3\n", "must be a list of tables"),
        ("model = [3]\n", "line 1, model: Expected `object`, got `int`"),
        ("[[model]\n", "is no TOML file"),
    ],
)
def test_a_wrong_file_is_told_by_line_and_key(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "recommended.toml"
    file.write_text(text)
    with pytest.raises(RecommendedFileWrong) as caught:
        read_recommended(file)
    assert str(file) in str(caught.value)
    assert said in str(caught.value)


def test_a_file_that_is_no_text_or_not_there(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(RecommendedFileWrong, match="is no TOML file"):
        read_recommended(tmp_path / "binary")
    with pytest.raises(RecommendedFileWrong, match="cannot be read"):
        read_recommended(tmp_path / "gone")
