"""Which schemas, patterns and choices are taken, and what is said of the others."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engine.protocol import Choice, Generate, Grammar, JsonSchema, Message, Pattern, Tool
from engine.serving.backend import Refused
from engine.serving.grammar_bounds import MOST_BYTES, check_grammar
from engine.worker import constraint, structured
from engine.worker.structured import Structured
from tests.engine.lane_driver import Driver, load_driver
from tests.engine.structured_rows import Walk, structured_of

CHAIN = 1500
"""References one behind the other: more than a thread's usual stack holds."""


@pytest.fixture(scope="module")
def driver(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Driver:
    return load_driver(tiny_model, tmp_path_factory.mktemp("cache"))


def asked(grammar: Grammar, **wishes: Any) -> Generate:
    return Generate(1, (Message("user", "x"),), grammar=grammar, **wishes)


def take(driver: Driver, grammar: Grammar) -> None:
    check_grammar(asked(grammar))
    assert structured_of(driver).constraint(asked(grammar), [1]) is not None


def refusal(driver: Driver, grammar: Grammar) -> str:
    with pytest.raises(Refused) as raised:
        take(driver, grammar)
    assert raised.value.kind == "bad-request"
    return str(raised.value)


def schema(**content: Any) -> JsonSchema:
    return JsonSchema(json.dumps(content))


def chain(levels: int) -> JsonSchema:
    definitions: dict[str, Any] = {
        f"d{level}": {"type": "array", "items": {"$ref": f"#/$defs/d{level + 1}"}}
        for level in range(levels)
    }
    definitions[f"d{levels}"] = {"type": "null"}
    return JsonSchema(json.dumps({"$defs": definitions, "$ref": "#/$defs/d0"}))


@pytest.mark.parametrize(
    "grammar",
    [
        JsonSchema(),
        JsonSchema("true"),
        JsonSchema("{}"),
        schema(type="object", properties={"größe": {"type": "integer"}}, required=["größe"]),
        schema(oneOf=[{"type": "string"}, {"type": "integer"}]),
        schema(anyOf=[{"type": "number"}, {"type": "integer"}]),
        schema(type="string", format="date-time"),
        schema(type="string", pattern="^(a+)+$"),
        schema(type=["string", "null"]),
        schema(enum=[f"value {number}" for number in range(3000)]),
        schema(const={"deep": [1, {"er": None}]}),
        schema(**{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "null"}),
        schema(
            **{
                "$defs": {"tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
                "$ref": "#/$defs/tree",
            }
        ),
        chain(CHAIN),
        Pattern("(a|a)*b"),
        Pattern(r"^\d{4}-\d{2}$"),
        Pattern("a/b\nc"),
        Pattern("(?i)x"),
        Choice(("yes",)),
        Choice(("a", "ab", "a")),
        Choice(tuple(f"option {number}" for number in range(5000))),
    ],
    ids=lambda grammar: str(grammar)[:60],
)
def test_these_are_taken(driver: Driver, grammar: Grammar) -> None:
    take(driver, grammar)


@pytest.mark.parametrize(
    ("grammar", "reason"),
    [
        (JsonSchema("{"), "is not JSON"),
        (JsonSchema("[1]"), "is a JSON object"),
        (JsonSchema("false"), "no answer can satisfy"),
        (JsonSchema('{"minimum": NaN}'), "is not JSON"),
        (JsonSchema('{"items":' * 200 + "{}" + "}" * 200), "levels deep"),
        (JsonSchema('{"a":' * 100_000), "takes 500,000 bytes"),
        (schema(**{"not": {}}), 'the keyword "not" is not supported'),
        (schema(**{"if": {}, "then": {}}), 'the keywords "if", "then" are not'),
        (schema(type="array", uniqueItems=True), "uniqueItems"),
        (schema(type="thing"), "Invalid type: thing"),
        (schema(type="string", format="colour"), "Unknown format: colour"),
        (schema(type="string", pattern="("), "unclosed group"),
        (schema(type="string", pattern=r"\bx"), "look-around"),
        (schema(oneOf=[{"type": "number"}, {"type": "integer"}]), "write anyOf"),
        (schema(type="integer", minimum=3, maximum=2), "nothing satisfies it: minimum (3)"),
        (schema(**{"$ref": "#"}), "nothing satisfies it"),
        (schema(**{"$ref": "#/$defs/none"}), "/$defs/none"),
        (schema(**{"$ref": "https://a.example/b.json"}), "nothing is ever fetched"),
        (schema(**{"$ref": "file:///etc/passwd"}), "nothing is ever fetched"),
        (schema(allOf=[{"anyOf": [{"const": each} for each in range(4)]}] * 14), "complex"),
        (schema(type="string", **{"x-guidance": {"lenient": True}}, **{"not": {}}), '"not"'),
        (Pattern(""), "is empty"),
        (Pattern("a\\"), "ends in a backslash"),
        (Pattern("("), "unclosed group"),
        (Pattern(r"(a)\1"), "backreferences are not supported"),
        (Pattern("(?=a)b"), "look-around"),
        (Pattern("a$b"), "look-around"),
        (Pattern("[a&&b]"), "nothing satisfies it"),
        (Pattern("(" * 60_000 + ")" * 60_000), "nest"),
        (schema(allOf=[{"type": "integer", "multipleOf": n} for n in (997, 991, 983)]), "complex"),
        (Choice(()), "nothing to choose from"),
        (Choice(("a", "")), "must not be empty"),
        (Choice(("x" * (MOST_BYTES + 1),)), "at most 131,072"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_these_are_refused_with_the_reason(driver: Driver, grammar: Grammar, reason: str) -> None:
    message = refusal(driver, grammar)
    assert reason in message
    assert message.endswith(".")
    assert len(message) < 400


def test_tools_and_a_form_exclude_each_other() -> None:
    with pytest.raises(Refused, match="either tools or a form"):
        check_grammar(asked(Choice(("a",)), tools=(Tool("memory_search"),)))


def test_what_takes_too_long_to_prepare_is_refused(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(structured, "COMPILE_SECONDS", 0.0)
    slow = Choice(tuple(f"number {number}" for number in range(8000)))
    assert "takes too long to prepare" in refusal(driver, slow)


def test_what_takes_too_long_to_follow_ends(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constraint, "FREE_SECONDS", 0.0)
    monkeypatch.setattr(constraint, "PATIENCE_SECONDS", 0.0)
    walk = Walk.through(driver, Pattern("a{2000}"))
    with pytest.raises(Refused, match="takes too long to follow"):
        walk.allowed([])


def test_a_schema_without_an_end_is_given_up(driver: Driver) -> None:
    endless = {"type": "object", "properties": {"c": {"$ref": "#"}}, "required": ["c"]}
    walk = Walk.through(driver, JsonSchema(json.dumps(endless)))
    with pytest.raises(Refused, match="The JSON schema cannot be followed"):
        walk.run(np.random.default_rng(1))


def test_a_grammar_is_compiled_once_and_each_row_has_its_own(driver: Driver) -> None:
    first, second = (Walk.through(driver, Choice(("ab", "cd"))) for _ in range(2))
    start = first.allowed([])
    token = int(np.argmax(start))
    first.allowed([token])
    assert np.array_equal(second.allowed([]), start)


def test_rows_of_the_table_without_a_token_are_never_drawn(driver: Driver) -> None:
    loaded, more = driver.loaded, 70
    size = loaded.trial.vocabulary_size + more
    padded = Structured(loaded.tokenizer, loaded.markup, size)
    made = padded.constraint(asked(Pattern("(?s).*")), [1])
    assert made is not None
    left = Walk(made, size, frozenset()).allowed([])
    assert np.isfinite(left[: size - more]).sum() > more
    assert not np.isfinite(left[size - more :]).any()


@pytest.mark.parametrize("size", [10, 0])
def test_a_table_smaller_than_the_tokenizer_is_refused(driver: Driver, size: int) -> None:
    small = Structured(driver.loaded.tokenizer, driver.loaded.markup, size)
    with pytest.raises(Refused, match="tokenizer cannot be used"):
        small.constraint(asked(Choice(("a",))), [1])


def test_a_tokenizer_of_another_kind_is_refused(driver: Driver) -> None:
    slow: Any = SimpleNamespace(eos_token_ids=[0], _tokenizer=object())
    other = Structured(slow, driver.loaded.markup, 300)
    with pytest.raises(Refused, match="tokenizer cannot be used"):
        other.constraint(asked(Choice(("a",))), [1])
