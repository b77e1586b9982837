"""Rows held to a form: alone, beside others, after thinking, with all else a row may have."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from engine.protocol import Choice, Grammar, JsonSchema, Pattern, Sampling, TokenBias
from engine.worker.circling import CHECK_EVERY, FEWEST_TOKENS
from engine.worker.drafts.pace import PassCosts
from engine.worker.spans import tracker_of
from engine.worker.thinking_gate import ThinkingGate, gate_of
from tests.engine.lane_driver import GREEDY, Driver, load_driver
from tests.engine.structured_rows import LIVELY, Walk, said, submit
from tui.bench.json_check import complaint

CODE = Pattern(r"[a-z]{3}-\d{2}")
RECORD = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 2, "maxLength": 6},
        "parts": {"type": "array", "items": {"enum": ["lens", "cap"]}, "minItems": 2},
    },
    "required": ["name", "parts"],
    "additionalProperties": False,
}
SCHEMA = JsonSchema(json.dumps(RECORD))
FORMS: tuple[Grammar | None, ...] = (CODE, SCHEMA, Choice(("yes", "no")), None, CODE, None)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def driver(tiny_model: Path, place: Path) -> Driver:
    return load_driver(tiny_model, place)


@pytest.fixture(scope="module")
def thinker(thinking_model: Path, place: Path) -> Driver:
    return load_driver(thinking_model, place)


def ask_all(driver: Driver, forms: Sequence[Grammar | None]) -> list[int]:
    questions = [f"Question {'so ' * index}?" for index, _ in enumerate(forms)]
    return [
        submit(driver, form, GREEDY, 24, question)
        for form, question in zip(forms, questions, strict=True)
    ]


def test_rows_in_a_batch_say_what_they_say_alone(driver: Driver) -> None:
    alone = []
    for index in range(len(FORMS)):
        id = ask_all(driver, FORMS[: index + 1])
        for other in id[:-1]:
            driver.cancel(other)
        driver.run()
        alone.append(driver.tokens[id[-1]])
    together = ask_all(driver, FORMS)
    driver.run()
    assert [driver.tokens[id] for id in together] == alone


def test_a_satisfied_form_ends_without_an_end_token(driver: Driver) -> None:
    id = submit(driver, CODE)
    driver.run()
    assert driver.finished(id).reason == "stop"
    assert driver.finished(id).usage.generated_tokens == len(driver.tokens[id])
    assert not driver.loaded.tokenizer.eos_token_ids & {*driver.tokens[id]}
    assert re.fullmatch(CODE.regex, said(driver, id))
    assert driver.finished(id).usage.grammar_seconds > 0


def test_a_form_that_may_go_on_ends_by_the_models_end(driver: Driver) -> None:
    (end,) = driver.loaded.tokenizer.eos_token_ids
    sampling = Sampling(temperature=1.0, logit_bias=(TokenBias(end, 100.0),))
    id = submit(driver, Pattern("a{3,200}"), sampling)
    driver.run()
    assert driver.finished(id).reason == "stop"
    assert said(driver, id) == "aaa"


def test_a_form_cut_off_says_so(driver: Driver) -> None:
    id = submit(driver, SCHEMA, max_tokens=4)
    driver.run()
    assert driver.finished(id).reason == "length"
    assert complaint(said(driver, id), RECORD)


@pytest.mark.parametrize(
    "sampling",
    [
        GREEDY,
        Sampling(temperature=2.0, seed=7),
        Sampling(temperature=1.0, top_p=0.2, top_k=3, min_p=0.3),
        Sampling(temperature=1.0, xtc_probability=1.0, xtc_threshold=0.0),
        Sampling(temperature=1.0, repetition_penalty=10.0, frequency_penalty=10.0),
        Sampling(temperature=1.0, logit_bias=tuple(TokenBias(id, -100.0) for id in range(300))),
    ],
    ids=["greedy", "seed", "cut", "xtc", "penalties", "bias"],
)
def test_no_sampling_breaks_a_form(driver: Driver, sampling: Sampling) -> None:
    ids = [submit(driver, form, sampling) for form in (CODE, Choice(("lens", "length")))]
    driver.run()
    assert re.fullmatch(CODE.regex, said(driver, ids[0]))
    assert said(driver, ids[1]) in {"lens", "length"}


def test_a_seed_repeats_a_form(driver: Driver) -> None:
    texts = []
    for _ in range(2):
        id = submit(driver, CODE, Sampling(temperature=1.0, seed=3))
        driver.run()
        texts.append(said(driver, id))
    assert texts[0] == texts[1]


def test_a_cancelled_form_leaves_its_neighbours_alone(driver: Driver) -> None:
    stopped, other = (submit(driver, Pattern("[a-z]{150}")) for _ in range(2))
    driver.until(lambda: len(driver.tokens[stopped]) > 3)
    driver.cancel(stopped)
    driver.run()
    assert driver.finished(stopped).reason == "cancelled"
    assert re.fullmatch("[a-z]+", said(driver, stopped))
    assert re.fullmatch("[a-z]{150}", said(driver, other))


def test_a_table_of_equal_rows_is_no_circle(driver: Driver) -> None:
    rows = FEWEST_TOKENS // 2 + CHECK_EVERY
    same = {"type": "array", "items": {"const": 0}, "minItems": rows, "maxItems": rows}
    id = submit(driver, JsonSchema(json.dumps(same)), max_tokens=500)
    driver.run()
    assert json.loads(said(driver, id)) == [0] * rows


def test_drafts_cut_no_form_short(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole end is drafted, so it is satisfied before the row hears of its tokens."""
    monkeypatch.setattr(PassCosts, "of", lambda *_: 1.0)
    words = json.dumps(["every page is dated"] * 6, separators=(",", ":"))
    id = submit(driver, JsonSchema(f'{{"const":{words}}}'), text=f"Repeat {words}")
    driver.run()
    assert said(driver, id) == words
    assert driver.finished(id).reason == "stop"
    assert driver.finished(id).usage.accepted_tokens > 0


def token(driver: Driver, text: str) -> int:
    (id,) = driver.loaded.tokenizer.encode(text, add_special_tokens=False)
    return int(id)


def test_thinking_may_come_first_and_the_form_begins_behind_it(thinker: Driver) -> None:
    begin, end, letter = (token(thinker, text) for text in ("<think>", "</think>", "a"))
    (stop,) = thinker.loaded.tokenizer.eos_token_ids
    walk = Walk.through(thinker, Choice(("ab", "cd")))
    first = np.isfinite(walk.allowed([]))
    assert first[begin]
    assert first[letter]
    assert not first[stop]
    assert not first[end]
    inside = np.isfinite(walk.allowed([begin]))
    assert inside.sum() == walk.size - 1
    assert not inside[stop]
    assert np.isfinite(walk.allowed([begin, letter]))[begin]
    behind = np.isfinite(walk.allowed([begin, letter, end]))
    assert behind[letter]
    assert not behind[begin]
    assert np.isfinite(walk.allowed([begin, letter, end, letter])).sum() == 1


def test_a_model_may_begin_with_the_form_itself(thinker: Driver) -> None:
    walk = Walk.through(thinker, Pattern("a.*"))
    walk.allowed([])
    then = np.isfinite(walk.allowed([token(thinker, "a")]))
    assert then.sum() > 200
    marks = [token(thinker, mark) for mark in ("<think>", "</think>", "<tool_call>")]
    assert not then[marks].any()


@pytest.mark.parametrize(
    ("prompt", "thinking", "state"),
    [
        ("hi", None, "undecided"),
        ("hi", True, "undecided"),
        ("hi", False, "form"),
        ("hi<think>\n", None, "thinking"),
        ("hi<think>\n", False, "thinking"),
        ("hi<think>\n\n</think>\n\n", None, "form"),
        ("<think>so</think>hi", None, "undecided"),
    ],
)
def test_the_prompt_tells_where_an_answer_begins(
    thinker: Driver, prompt: str, thinking: bool | None, state: str
) -> None:
    loaded = thinker.loaded
    gate = gate_of(
        loaded.markup,
        loaded.tokenizer,
        loaded.tokenizer.encode(prompt),
        is_thinking_allowed=thinking is not False,
    )
    assert gate.state == state


def test_an_opening_tag_of_several_tokens_is_spoken_whole(thinker: Driver) -> None:
    loaded = thinker.loaded
    begin, letter = token(thinker, "<think>"), token(thinker, "a")
    gate = ThinkingGate(
        tracker_of(loaded.markup, loaded.tokenizer, [letter]), [(begin, letter, letter)]
    )
    states = [gate.openers]
    for each in (begin, letter, letter):
        gate.take(each)
        states.append(gate.openers)
    assert states == [[begin], [letter], [letter], []]
    assert gate.state == "thinking"


def test_a_thinking_model_answers_in_the_form(thinker: Driver) -> None:
    """Both tags are likely, so that many rows think first and all of them stop thinking."""
    marks = [token(thinker, mark) for mark in ("<think>", "</think>")]
    sampling = Sampling(temperature=1.0, logit_bias=tuple(TokenBias(id, 14.0) for id in marks))
    ids = [submit(thinker, CODE, sampling) for _ in range(8)]
    ids += [submit(thinker, CODE, LIVELY, thinking=False) for _ in range(2)]
    thinker.run()
    assert all(re.fullmatch(CODE.regex, said(thinker, id)) for id in ids)
    begun = [thinker.tokens[id][0] == marks[0] for id in ids]
    assert any(begun[:8])
    assert not any(begun[8:])
    assert any(said(thinker, id, "thinking") for id in ids)


@pytest.mark.parametrize(("stop", "expected"), [(("-",), r"[a-z]{3}"), (("Z",), r"[a-z]{3}-\d{2}")])
def test_a_stop_string_may_cut_a_form(driver: Driver, stop: tuple[str, ...], expected: str) -> None:
    id = submit(driver, CODE, stop=stop)
    driver.run()
    assert driver.finished(id).reason == "stop"
    assert re.fullmatch(expected, said(driver, id))


def test_a_tag_in_letters_is_part_of_what_a_form_says(
    driver: Driver, tmp_path: Path, place: Path
) -> None:
    """Models like DeepSeek's distilled ones think between tags that are no tokens."""
    folder = tmp_path / "spelled"
    shutil.copytree(driver.loaded.info.path, folder)
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    settings["chat_template"] += "{# <think> </think> #}"
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    spelling = load_driver(folder, place)
    assert spelling.loaded.info.has_thinking
    text = '"a <think> b </think> c"'
    id = submit(spelling, JsonSchema(f'{{"const":{text}}}'))
    spelling.run()
    assert said(spelling, id) == text
    assert not said(spelling, id, "thinking")


def is_prepared(driver: Driver) -> bool:
    return driver.answering.structured.is_prepared


def test_forms_are_made_ready_once_nobody_waits_and_not_before_an_answer(
    tmp_path: Path, tiny_model: Path
) -> None:
    driver = load_driver(tiny_model, tmp_path)
    driver.backend.upkeep(99.0)
    assert not is_prepared(driver)
    driver.alone("Hello. ", 2)
    assert driver.backend.upkeep(1.0) == pytest.approx(2.0)
    assert not is_prepared(driver)
    driver.backend.upkeep(3.0)
    assert is_prepared(driver)
    id = submit(driver, Choice(("yes", "no")))
    driver.run()
    assert driver.text(id) in ("yes", "no")
