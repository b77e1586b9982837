"""What is said in a chat becomes a proposal: where it goes, how it is written, that nothing is."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.answers import AnswerEvent
from engine.errors import EngineStopped
from engine.protocol import Choice, Finished, Generate, TextDelta, Usage
from tests.memory_tools.looking_up import OpenWiki
from tui.assistant.remember.material import (
    Material,
    NothingToRemember,
    Origin,
    answer,
    below_level,
    statement,
)
from tui.assistant.remember.passages import passage_with, passages_of
from tui.assistant.remember.remember import UNSORTED, Remember
from tui.assistant.remember.whole_chat import gathered, statements_of
from tui.assistant.remember.writing import corrected, new_page, with_added
from vault.article.page import parse_article
from vault.conversations.values import MessageNode
from vault.errors import EditRefused, ReviewFailed
from vault.review.deciding import accept
from vault.review.parts import parts_of
from vault.review.queue import ReviewQueue, review_dir
from vault.vault import open_vault

ORIGIN = Origin("1a2b3c4d", "2026-03-01")
NOWHERE = Origin("", "2026-03-01")
LENS = (
    "# Lens\n\ncategories: [[Category:Photo]]\n\nThe **50mm** is sharp.\n\n## Weight\n\n"
    "- 160 grams\n- no filter\n\n## See also\n\n- [[Bag]]\n\n## References\n\n"
    "[^1]: `conv:99999999` (2025-01-01, chat)\n"
)


class Saying:
    """A model that answers each question by a rule; None is one that is gone."""

    def __init__(self, rule: Callable[[str, Generate], str] | None) -> None:
        self._rule = rule
        self.asked: list[Generate] = []

    async def run(self, request: Generate) -> AsyncGenerator[AnswerEvent, None]:
        """Answer."""
        self.asked.append(request)
        if self._rule is None:
            raise EngineStopped("gone")
        yield TextDelta(1, self._rule(request.messages[-1].content, request))
        yield Finished(1, "stop", Usage(0, 0, 0, 0, 0.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("material", "place", "is_ours", "expected"),
    [
        (
            Material("It rattles.", "x", ORIGIN),
            "",
            True,
            ["sharp.\n\nIt rattles.[^2]\n\n## Weight", "[^2]: `conv:1a2b3c4d` (2026-03-01, chat)"],
        ),
        (Material("- 170 grams", "x", ORIGIN), "Weight", True, ["- no filter\n- 170 grams[^2]\n"]),
        (
            Material("It rattles.", "x", ORIGIN),
            "References",
            False,
            ["sharp.\n\nIt rattles. (`conv:1a2b3c4d`, 2026-03-01)\n\n## Weight"],
        ),
        (
            Material("# Big\n\ntext\n\n```\ncode\n```", "What of it", ORIGIN, is_statement=False),
            "",
            True,
            ["## What of it\n\n### Big\n\ntext\n\n```\ncode\n```\n\n[^2]\n\n## See also"],
        ),
        (Material("x", "weight", NOWHERE, is_statement=False), "", True, ["- no filter\n\nx\n"]),
        (
            Material("```\nnever closed", "A", NOWHERE, is_statement=False),
            "",
            True,
            ["## A\n\n> ```\n> never closed\n"],
        ),
    ],
    ids=["lead", "list", "not ours", "answer", "same section", "unclosed"],
)
def test_a_page_with_something_added(
    material: Material, place: str, is_ours: bool, expected: list[str]
) -> None:
    made = with_added(LENS, material, place, is_ours=is_ours)
    for each in expected:
        assert each in made, made
    # Nothing that was there is gone.
    assert all(not part.old for part in parts_of(LENS, made))
    assert [s.title for s in parse_article(LENS).sections] == [
        s.title for s in parse_article(made).sections if s.title in LENS
    ]


@settings(deadline=None, max_examples=60)
@given(
    text=st.text(st.sampled_from("#`~>-*[]()!:^|\n abc<$"), min_size=1, max_size=60),
    is_statement=st.booleans(),
    is_ours=st.booleans(),
)
def test_no_text_takes_anything_off_a_page(text: str, is_statement: bool, is_ours: bool) -> None:
    try:
        material = statement(text, ORIGIN) if is_statement else answer(text, "why", ORIGIN)
    except NothingToRemember:
        return
    made = with_added(LENS, material, "Weight", is_ours=is_ours)
    assert all(not part.old for part in parts_of(LENS, made))
    titles = [section.title for section in parse_article(made).sections]
    assert [t for t in titles if t in {"Lens", "Weight", "See also", "References"}][:1] == ["Lens"]
    assert "See also" in titles


def test_a_new_page_has_its_title_and_its_source() -> None:
    made = new_page("Bike lock", Material("The code is 4711.", "x", ORIGIN), is_ours=True)
    assert made == (
        "# Bike lock\n\nThe code is 4711.[^1]\n\n## References\n\n"
        "[^1]: `conv:1a2b3c4d` (2026-03-01, chat)\n"
    )
    assert new_page("A", Material("x", "x", NOWHERE), is_ours=True) == "# A\n\nx\n"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("see ![x](http://evil/?q=1)", "see [x](http://evil/?q=1)"),
        ("![own](pictures/a.png)", "![own](pictures/a.png)"),
        ("`![x](http://evil/)`", "`![x](http://evil/)`"),
        ("![a [b]](https://evil/)", "[a [b]](https://evil/)"),
        ("![x](//evil/p.png)", "[x](//evil/p.png)"),
        ("![x](<//evil/p.png>)", "[x](<//evil/p.png>)"),
        ("![x](data:image/png;base64,A)", "[x](data:image/png;base64,A)"),
        ("![x][r]\n\n[r]: https://evil/", "\\![x][r]\n\n[r]: https://evil/"),
        ("![r]\n\n[r]: //evil/", "\\![r]\n\n[r]: //evil/"),
        ("[![x](http://evil/)](own.md)", "[[x](http://evil/)](own.md)"),
        ("wow!![x](http://evil/)", "wow!\\![x](http://evil/)"),
        ("a <img src=http://evil/> b", "a &lt;img src=http://evil/> b"),
        ("<div>\n<IMG\nsrc='//evil/'>\n</div>", "<div>\n&lt;IMG\nsrc='//evil/'>\n</div>"),
        (
            "<style>a{background:url(//evil/)}</style>",
            "```\n<style>a{background:url(//evil/)}</style>\n```",
        ),
        ("Great![^1] and ![[own.png]] and <https://a.b>",) * 2,
        ("a<br>b, List<int> and <a href='https://a.b'>c</a>",) * 2,
        # What only some readers take for a picture stays as it is, as code.
        ("$![x](http://evil/)$ x", "```\n$![x](http://evil/)$ x\n```"),
        ("![x](&#104;ttp://evil/)", "```\n![x](&#104;ttp://evil/)\n```"),
        ("![[x]](http://evil/)", "```\n![[x]](http://evil/)\n```"),
        (
            "|a|b|c|\n|-|-|-|\n|`|![x](//evil/)|`|",
            "```\n|a|b|c|\n|-|-|-|\n|`|![x](//evil/)|`|\n```",
        ),
        ("a\u202eb\U000e0041c\x1b[31m", "a⟨202E⟩bc␛[31m"),
    ],
)
def test_what_is_hidden_or_fetched_is_neither(text: str, kept: str) -> None:
    assert answer(text, "q", ORIGIN).text == kept


@pytest.mark.parametrize("text", ["", " \n", "***", "\u200b", "x" * 60_001])
def test_what_cannot_be_remembered_is_said(text: str) -> None:
    with pytest.raises(NothingToRemember):
        statement(text, ORIGIN)


def test_headings_go_below_the_section() -> None:
    assert below_level("# A\n\n## B\n\n###### C\n\n```\n# no\n```\n", 2) == (
        "### A\n\n#### B\n\n###### C\n\n```\n# no\n```\n"
    )


def test_a_passage_is_corrected_and_nothing_else() -> None:
    assert passages_of(LENS, "heavy grams 160")[0] == "- 160 grams"
    assert passage_with(LENS, "50mm** is") == "The **50mm** is sharp."
    assert passage_with(LENS, "e") == ""
    made = corrected(LENS, "- 160 grams", "- 170 grams", ORIGIN, is_ours=True)
    changed = [part for part in parts_of(LENS, made) if part.old]
    assert [(part.old, part.new) for part in changed] == [
        (("- 160 grams\n",), ("- 170 grams[^2]\n",))
    ]
    with pytest.raises(EditRefused):
        corrected(LENS, "no such thing", "x", ORIGIN, is_ours=True)


def second_of(text: str, request: Generate) -> str:
    """A model that always says the same number, whatever it stands for."""
    return "2" if isinstance(request.grammar, Choice) else "The Bag"


def knows(word: str) -> Callable[[str, Generate], str]:
    def rule(text: str, request: Generate) -> str:
        if not isinstance(request.grammar, Choice):
            return word
        lines = text.split("\n")
        return next((line[0] for line in lines if line[1:2] == ":" and word in line), "0")

    return rule


@pytest.mark.parametrize(
    ("text", "rule", "path"),
    [
        ("My Lens rattles in the cold.", None, "articles/Lens.md"),
        ("My lens rattles, said the Big Lens shop.", None, "articles/Big_Lens.md"),
        ("The fifty millimetre rattles on a trip.", knows(": Lens."), "articles/Lens.md"),
        ("The fifty millimetre rattles on a trip.", second_of, f"articles/{UNSORTED}.md"),
        ("The fifty millimetre rattles on a trip.", None, f"articles/{UNSORTED}.md"),
        ("My bike lock code is 4711.", knows("bike lock"), "articles/Bike_lock.md"),
        ("My bike lock code is 4711.", knows("the weather today"), f"articles/{UNSORTED}.md"),
        ("My bike lock code is 4711.", knows("is"), f"articles/{UNSORTED}.md"),
    ],
    ids=["named", "longest", "model", "guesses", "no model", "new", "made up", "stop word"],
)
async def test_where_it_is_proposed(
    tmp_path: Path, text: str, rule: Callable[[str, Generate], str] | None, path: str
) -> None:
    wiki = OpenWiki(tmp_path)
    wiki.vault.create(
        "Lens", "articles", text=LENS.replace("sharp", "sharp, fifty millimetre, for a trip")
    )
    wiki.vault.create("Big Lens", "articles", text="# Big Lens\n\nA shop for a trip.\n")
    before = digest(wiki.vault.root)
    engine = Saying(rule)
    proposal = await Remember(wiki, engine, tmp_path / "data").propose(statement(text, ORIGIN))
    assert proposal.path == path
    assert (proposal.source, proposal.actor) == ("conv:1a2b3c4d", "chat 1a2b3c4d")
    assert text in proposal.text
    assert digest(wiki.vault.root) == before
    # Whatever is asked is a choice or a name, in the background, and leaves nothing behind.
    assert all(each.lane == "background" and each.is_temporary for each in engine.asked)
    assert all((each.max_tokens or 99) <= 16 for each in engine.asked)


async def test_several_proposals_for_a_page_are_one_and_are_written_once(tmp_path: Path) -> None:
    wiki = OpenWiki(tmp_path)
    remember = Remember(wiki, Saying(None), tmp_path / "data")
    for text in ("My bike is green.", "My lock code is 4711."):
        proposal = await remember.propose(statement(text, ORIGIN))
    queue = ReviewQueue(review_dir(tmp_path / "data", wiki.vault.root))
    assert queue.waiting() == (proposal,)
    with pytest.raises(NothingToRemember):
        await remember.correct(proposal.path, "a", " a ", ORIGIN)
    written = accept(wiki.vault, queue, proposal)
    text = written.saved.file.text or ""
    assert "green.[^1]\n\nMy lock code is 4711.[^1]\n" in text
    # It can be corrected, and what is proposed twice is refused.
    corrected = await remember.correct(proposal.path, "My bike is green.[^1]", "Red.", NOWHERE)
    assert corrected.text == text.replace("My bike is green.[^1]", "Red.")
    with pytest.raises((ReviewFailed, EditRefused)):
        await remember.correct(proposal.path, "My bike is green.[^1]", "Red.", NOWHERE)
    assert len(queue.waiting()) == 1


async def test_a_folder_of_somebody_gets_no_proposal_before_it_may_be_changed(
    tmp_path: Path,
) -> None:
    (tmp_path / "wiki").mkdir()
    (tmp_path / "wiki" / "Own.md").write_text("# Own\n")
    wiki = OpenWiki(tmp_path)
    with pytest.raises(NothingToRemember, match="may not change"):
        await Remember(wiki, Saying(None), tmp_path / "data").propose(statement("Own x", ORIGIN))


def said(*texts: str) -> list[MessageNode]:
    then = datetime(2026, 3, 1, tzinfo=UTC)
    return [MessageNode(f"{at:032x}", "", "user", text, then) for at, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("texts", "rule", "kept"),
    [
        (("I own a bike", "Is it green?", "hm", "The sky was grey then"), "bike", ["I own a bike"]),
        (("I own a bike", "I like red ones", "We leave in May"), "", [0, 1, 2]),
        (("I own a bike", "I like red ones"), None, [0, 1]),
        (("我有一辆绿色的自行车",), None, [0]),
    ],
    ids=["told apart", "says no to all", "no model", "no blanks"],
)
async def test_what_is_kept_of_a_chat(
    texts: tuple[str, ...], rule: str | None, kept: list[str | int]
) -> None:
    def judge(asked: str, _: Generate) -> str:
        return "yes" if rule and rule in asked else "no"

    found = await statements_of(Saying(None if rule is None else judge), said(*texts))
    assert [node.text for node in found] == [
        texts[each] if isinstance(each, int) else each for each in kept
    ]
    assert gathered(found, "n", False).text.count("\n") == len(found) - 1


async def test_a_chat_of_questions_has_nothing_to_keep() -> None:
    with pytest.raises(NothingToRemember, match="only asked"):
        await statements_of(Saying(None), said("What is it?", "ok"))


def digest(root: Path) -> str:
    """All files of a folder, the history among them."""
    made = hashlib.sha256()
    for file in sorted(each for each in root.rglob("*") if each.is_file()):
        made.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes())
    return made.hexdigest()


def test_a_wiki_is_told_from_a_changed_one(tmp_path: Path) -> None:
    vault = open_vault(tmp_path / "wiki", data_dir=tmp_path / "data")
    before = digest(vault.root)
    vault.create("A", "articles")
    assert digest(vault.root) != before
