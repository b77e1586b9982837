"""Which passages are found for a question, and when none is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.recall.wiki_of_notes import make_wiki
from vault.recall.asking import read_asking
from vault.recall.fitting import fit
from vault.recall.values import Candidate, Wish
from vault.vault import Vault


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    opened = make_wiki(tmp_path_factory.mktemp("recall") / "wiki")
    yield opened
    opened.close()


def found(vault: Vault, question: str, before: str = "", scope: str = "") -> list[Candidate]:
    return list(vault.recall.find(Wish(question, before, scope)).candidates)


@pytest.mark.parametrize(
    ("question", "path", "words"),
    [
        ("Which lens did I settle on for the trip?", "Photography/Camera_bag.md", "50mm f/1.8"),
        ("What is my sourdough starter called?", "Sourdough.md", "Bubbles"),
        ("sourdogh startr", "Sourdough.md", "Bubbles"),
        ("Which rating has the camera bag?", "Photography/Camera_bag.md", "splendid"),
        ("徕卡相机的快门怎么样了？", "相机.md", "快门需要修理"),
        ('"Camera" -bag: path:what* about (lenses)', "Photography/Camera_bag.md", "50mm"),
    ],
)
def test_what_is_asked_for_is_found(vault: Vault, question: str, path: str, words: str) -> None:
    candidates = found(vault, question)
    assert path in [each.path for each in candidates]
    texts = [text for each in candidates if each.path == path for text in each.texts]
    assert any(words in text for text in texts)


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of France?",
        "Write a haiku about the sea.",
        "How many legs does a spider have?",
        "What's the weather like in Lisbon in May?",
        "hello",
        "thanks, that was great!",
        "Tell me more about it.",
        "光合作用是什么？",
        "",
        "\ud800 \0",
        "Please summarise this: " + "The starter of the engine failed in Lisbon in June. " * 30,
    ],
)
def test_nothing_is_found_for_what_the_wiki_does_not_know(vault: Vault, question: str) -> None:
    assert found(vault, question) == []


def test_passages_have_place_and_date_and_nothing_hidden(vault: Vault) -> None:
    (film,) = [each for each in found(vault, "rolls of Portra film") if "Film" in each.heading_path]
    assert (film.title, film.date, film.anchor) == ("Camera bag", "2026-03-14", "film")
    assert "secret" not in film.texts[-1]
    assert "https" not in film.texts[-1]
    assert "[shop]" in film.texts[-1]
    assert film.parts[0].name == "words"


def test_a_scope_leaves_pages_out(vault: Vault) -> None:
    question = "settled on for the trip to Lisbon"
    everywhere = {each.path for each in found(vault, question)}
    assert {"Projects/Trip.md", "Photography/Camera_bag.md"} <= everywhere
    for scope, paths in (
        ("tag:photo", {"Photography/Camera_bag.md"}),
        ("Photography/", {"Photography/Camera_bag.md"}),
        ("-path:Projects/", {"Photography/Camera_bag.md"}),
        ("#nothing", set()),
        ("category:none", set()),
    ):
        assert {each.path for each in found(vault, question, scope=scope)} <= paths


def test_what_the_pages_found_link_to_comes_along_and_redirects_do_not(vault: Vault) -> None:
    linked = [each for each in found(vault, "Lisbon in June") if each.parts[0].name == "linked"]
    assert [each.path for each in linked] == ["Projects/House in Alfama.md"]
    assert all(each.path != "Old.md" for each in found(vault, "sourdough starter"))


def test_a_short_question_leans_on_the_one_before(vault: Vault) -> None:
    assert found(vault, "And its name?") == []
    assert found(vault, "Who feeds it with rye?", before="What about my sourdough starter?")
    first = found(vault, "And the film for it?", before="What is in my camera bag?")[0]
    assert first.path == "Photography/Camera_bag.md"


def test_our_own_help_and_policies_are_no_memory(tmp_path: Path) -> None:
    from vault.vault import open_vault

    vault = open_vault(tmp_path / "wiki", data_dir=tmp_path / "data")
    for each in found(vault, "How does Zibaldone keep wikilinks and articles?"):
        assert each.path.startswith("articles/")
    vault.close()


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(question=st.text(max_size=80), scope=st.text(max_size=30))
def test_any_text_is_a_question_and_a_scope(vault: Vault, question: str, scope: str) -> None:
    recalled = vault.recall.find(Wish(question, question, scope))
    assert 0 <= recalled.evidence <= 1
    assert read_asking(question).words == recalled.words


COSTS = st.lists(st.lists(st.integers(1, 400), min_size=1, max_size=3).map(sorted), max_size=20)


@given(costs=COSTS, budget=st.integers(-10, 2000))
def test_what_is_chosen_fits_the_budget(costs: list[list[int]], budget: int) -> None:
    chosen = fit(costs, budget)
    spent = sum(sizes[size] for sizes, size in zip(costs, chosen, strict=True) if size is not None)
    assert spent <= max(0, budget)
    left = budget - spent
    for sizes, size in zip(costs, chosen, strict=True):
        assert size is not None or sizes[0] > left, "there was room for it"
