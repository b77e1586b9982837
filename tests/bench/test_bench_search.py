"""Questions made from wikis: what would give the answer away is out of the copy searched."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.config import EngineConfig
from tui.bench import BenchContext, BenchFault
from tui.bench.search import bench_search
from tui.bench.search_baseline import PlainSearch
from tui.bench.search_questions import Question, ask

PAGES = {
    "Lens.md": "---\naliases: [Objective glass]\ndescription: Bends light with glass.\n---\n"
    "# Lens\n\nGlass bends light and objective views.\n\n## Care of glass\n\nUse a soft cloth.\n",
    "Trip.md": "The light was good. We took the [[Lens|bright glass lens]] along the glass river."
    " Rain fell.\n\n## Way by train\n\nBy train and by foot.",
}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    for name, text in PAGES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_questions_and_the_copy(corpus: Path) -> None:
    asked = ask(corpus, most=5)
    by_kind = {each.kind: each for each in asked.questions if each.kind != "title"}
    assert by_kind["alias"] == Question("alias", "Objective glass", "Lens.md")
    assert by_kind["description"].text == "Bends light with glass."
    assert by_kind["anchor"] == Question("anchor", "bright glass", "Lens.md", "Trip.md")
    headings = {each.text for each in asked.questions if each.kind == "heading"}
    assert headings == {"Care of glass", "Way by train"}
    lens, trip = asked.texts["Lens.md"], asked.texts["Trip.md"]
    for gone in ("Objective glass", "Bends light with", "Care of glass"):
        assert gone not in lens
    assert "[[" not in trip
    assert "bright glass lens along" in trip
    assert all("Way by train" not in text for text in asked.texts.values())
    assert ask(corpus, most=5) == asked, "the same questions every time"


def test_a_question_without_a_word_of_its_answer_is_left_out(corpus: Path) -> None:
    (corpus / "Lens.md").write_text("---\naliases: [Zanzibar]\n---\n# Lens\n")
    assert all(each.kind != "alias" for each in ask(corpus, most=5).questions)


def test_plain_search_ranks_titles_first() -> None:
    plain = PlainSearch(
        {"A.md": "camera camera", "Camera.md": "x", "C.md": "使用相机镜头", "D.md": "\ud800"}
    )
    assert plain.find("the cameras?") == ["Camera.md", "A.md"]
    assert plain.find("相机镜头") == ["C.md"]
    assert plain.find('" ( *') == []


async def test_without_wikis_the_bench_says_so(tmp_path: Path) -> None:
    for corpora in (None, tmp_path):
        context = BenchContext(Path(), EngineConfig(cache_dir="/nowhere"), corpora=corpora)
        with pytest.raises(BenchFault, match="ZIB_CORPORA"):
            await bench_search(context, print)
