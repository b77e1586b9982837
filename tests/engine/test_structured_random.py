"""Whatever logits a model makes, what comes out has the form; checked without the engine's help."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.protocol import Choice, JsonSchema, Pattern
from tests.engine.lane_driver import Driver, load_driver
from tests.engine.structured_rows import Walk
from tui.bench.json_check import complaint

EXAMPLES = settings(
    max_examples=1000 if os.environ.get("ZIB_HARDEN") == "1" else 25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
SEEDS = st.integers(0, 2**32 - 1)


@pytest.fixture(scope="module")
def driver(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Driver:
    return load_driver(tiny_model, tmp_path_factory.mktemp("cache"))


def spoken(driver: Driver, walk: Walk, seed: int) -> tuple[str, bool]:
    tokens, is_whole = walk.run(np.random.default_rng(seed))
    return driver.loaded.tokenizer.decode(tokens, clean_up_tokenization_spaces=False), is_whole


@EXAMPLES
@given(options=st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=6), seed=SEEDS)
def test_a_choice_is_one_of_the_options(driver: Driver, options: list[str], seed: int) -> None:
    text, is_whole = spoken(driver, Walk.through(driver, Choice(tuple(options))), seed)
    assert is_whole
    assert text in options


def test_options_that_begin_alike_can_all_be_chosen(driver: Driver) -> None:
    options = ("a", "ab", "abc", "b")
    chosen = {spoken(driver, Walk.through(driver, Choice(options)), seed)[0] for seed in range(40)}
    assert chosen == set(options)


def _repeated(piece: str, low: int, more: int) -> str:
    return f"(?:{piece}){{{low},{low + more}}}"


COUNTS = st.integers(0, 3)
REGEXES = st.recursive(
    st.sampled_from(["a", "[a-f]", r"\d", "[äöü]", r"\.", "記", " ", r"\\", "[^a-z]", "/"]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        st.builds(_repeated, inner, COUNTS, COUNTS),
        inner.map(lambda piece: f"(?:{piece})?"),
    ),
    max_leaves=6,
)


@EXAMPLES
@given(regex=REGEXES, seed=SEEDS)
def test_a_pattern_is_matched_whole(driver: Driver, regex: str, seed: int) -> None:
    text, is_whole = spoken(driver, Walk.through(driver, Pattern(regex)), seed)
    assert is_whole
    assert re.fullmatch(regex, text)


NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5)
SCALARS = st.one_of(
    st.sampled_from([{"type": "boolean"}, {"type": "null"}]),
    st.tuples(st.integers(-50, 50), st.integers(0, 100)).map(
        lambda pair: {"type": "integer", "minimum": pair[0], "maximum": sum(pair)}
    ),
    st.tuples(COUNTS, COUNTS).map(
        lambda pair: {"type": "string", "minLength": pair[0], "maxLength": sum(pair)}
    ),
    st.lists(NAMES | st.integers(0, 99) | st.none(), min_size=1, max_size=4).map(
        lambda values: {"enum": values}
    ),
    st.sampled_from(["^[A-Z]{1,3}$", "^x+y?$"]).map(
        lambda regex: {"type": "string", "pattern": regex, "maxLength": 6}
    ),
)


def _object(parts: dict[str, Any], is_first_required: bool) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": parts,
        "required": list(parts)[: 1 if is_first_required else None],
        "additionalProperties": False,
    }


SCHEMAS = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.builds(_object, st.dictionaries(NAMES, inner, min_size=1, max_size=3), st.booleans()),
        st.tuples(inner, COUNTS, COUNTS).map(
            lambda parts: {
                "type": "array",
                "items": parts[0],
                "minItems": parts[1],
                "maxItems": parts[1] + parts[2],
            }
        ),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"anyOf": parts}),
    ),
    max_leaves=5,
)


@EXAMPLES
@given(schema=SCHEMAS, seed=SEEDS)
def test_json_is_what_its_schema_asks_for(
    driver: Driver, schema: dict[str, Any], seed: int
) -> None:
    text, is_whole = spoken(driver, Walk.through(driver, JsonSchema(json.dumps(schema))), seed)
    assert is_whole
    assert complaint(text, schema) == ""
