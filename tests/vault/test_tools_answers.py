"""The memory tools: what they say, what they leave out, and that they neither raise nor overrun."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vault.setup import prepare
from vault.tools.budget import Budget
from vault.tools.cutting import clipped, cut_at, parts, size_of
from vault.tools.memory_tools import NO_WIKI, MemoryTools
from vault.tools.offer import MEMORY_TOOLS
from vault.tools.read_only import ReadOnlyWiki

LONG = "\n\n".join(f"## Part {n}\n\n" + f"word{n} 鏡頭 " * 60 for n in range(1, 9))
PAGES = {
    "Lens.md": "---\naliases: [glass]\ntags: [gear]\nupdated: 2026-03-04\n---\n# Lens\n\n"
    "The lens for the [[Trip]] and the [[Gone]].\n\n## Care\n\nA soft cloth.\n\n### Dust\n\n"
    "Blow.\n",
    "Trip.md": "# Trip\n\nWith the [[Lens]] and [[Lens]].\n\n"
    "categories: [[Category:Travel]]\n\nZibaldone\n",
    "Long.md": f"# Long\n\nIt begins here.\n\n{LONG}\n",
    "Glass.md": "# Glass\n\n*Redirects to [[Lens]].*\n",
    "a/Twin.md": "one",
    "b/Twin.md": "two",
    "7.md": "# The seventh day\n\nRest.\n",
    "Hidden/Secret.md": "# Secret\n\nlens password 1234 [[Lens]] [[Never written]]\n",
}


@pytest.fixture(scope="module")
def wiki() -> Iterator[ReadOnlyWiki]:
    """Somebody's folder with an excluded one in it, and a file beside it."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "notes"
        for path, text in PAGES.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        (root / ".obsidian").mkdir()
        (root / ".obsidian/app.json").write_text('{"userIgnoreFilters": ["Hidden/"]}')
        (root / "link.md").symlink_to(Path(folder) / "outside.md")
        (Path(folder) / "outside.md").write_text("outside lens 1234")
        yield ReadOnlyWiki(root, Path(folder) / "data")


@pytest.fixture
def budget() -> Budget:
    return Budget()


@pytest.fixture
def tools(wiki: ReadOnlyWiki, budget: Budget) -> MemoryTools:
    return MemoryTools(wiki.opened, budget)


SAID = {
    "search": (
        "memory_search",
        {"query": "soft cloth"},
        ("- Lens (Lens.md) · 2026-03-04\n", "  Lens › Care: A soft cloth."),
    ),
    "search nothing": ("memory_search", {"query": "zzzz"}, ("Nothing was found", "memory_list")),
    "search wanted": ("memory_search", {"query": "gone"}, ("“Gone” is linked to 1 times",)),
    "read": ("memory_read", {"page": "lens"}, ("Lens (Lens.md) · 2026-03-04", "aliases", "Blow.")),
    "read alias": ("memory_read", {"page": "[[glass|x]]"}, ("Lens (Lens.md)",)),
    "read redirect": ("memory_read", {"page": "Glass.md"}, ("Lens (Lens.md)",)),
    "read heading": ("memory_read", {"page": "Lens#Care"}, ("Lens (Lens.md)",)),
    "read by own title": ("memory_read", {"page": "7"}, ("The seventh day (7.md) · changed 20",)),
    "read long": (
        "memory_read",
        {"page": "Long"},
        ("It begins here.", "- Part 8 [part-8] 792 bytes", "read one with memory_section, or all "),
    ),
    "toc": ("memory_toc", {"page": "Lens"}, ("- Lens [lens]", "    - Dust [dust] 16 bytes")),
    "section": (
        "memory_section",
        {"page": "Lens", "heading": "care"},
        ("2026-03-04\nLens › Care\n\n## Care", "A soft cloth.", "Blow."),
    ),
    "section by anchor": ("memory_section", {"page": "Lens", "heading": "#dust"}, ("Blow.",)),
    "links": (
        "memory_links",
        {"page": "Lens"},
        ("It links to: Trip\nLinked from: Glass; Trip (2×)\n", "nobody wrote yet: Gone"),
    ),
    "list": ("memory_list", {}, ("Pages: 7\n", "- The seventh day (7.md)", "- Twin (a/Twin.md)")),
    "list tag": ("memory_list", {"tag": "#Gear"}, ("Pages: 1\n- Lens",)),
    "list category": ("memory_list", {"category": "travel"}, ("Pages: 1\n- Trip",)),
    "list folder": ("memory_list", {"folder": "/a/"}, ("Pages: 1\n- Twin (a/Twin.md)",)),
    "list on": ("memory_list", {"start": "7"}, ("Pages: 7, from 7 on\n- Twin (b/Twin.md)",)),
    "status": (
        "memory_status",
        None,
        ("Pages: 7.", "Folders: (top) 5, a 1, b 1", "Categories: Travel 1", "Tags: gear 1"),
    ),
}


@pytest.mark.parametrize(("name", "arguments", "said"), SAID.values(), ids=SAID.keys())
def test_what_a_tool_says(
    tools: MemoryTools, name: str, arguments: object, said: tuple[str, ...]
) -> None:
    answer = tools.answer(name, arguments)
    assert not answer.is_error
    for each in said:
        assert each in answer.text
    assert "1234" not in answer.text
    assert "Secret" not in answer.text


ERRORS = {
    "typo": ("memory_read", {"page": "Lense"}, "Near names: “Lens”"),
    "shared word": ("memory_read", {"page": "day of rest"}, "Near names: “The seventh day”"),
    "excluded": ("memory_read", {"page": "Hidden/Secret.md"}, "There is no page"),
    "by a link": ("memory_read", {"page": "link.md"}, "There is no page"),
    "a way out": ("memory_read", {"page": "../outside.md"}, "There is no page"),
    "absolute": ("memory_read", {"page": "/etc/passwd"}, "Look for it with memory_search"),
    "several": ("memory_read", {"page": "Twin"}, "2 pages; give a path: a/Twin.md, b/Twin.md"),
    "no section": ("memory_section", {"page": "Lens", "heading": "Cares"}, "It has “Care”, “Lens”"),
    "no part": (
        "memory_section",
        {"page": "Long", "part": 99},
        "There is no part 99; the last is 4",
    ),
    "missing": ("memory_read", {}, "“page” must be given. It takes page (string), force"),
    "empty": ("memory_search", {"query": " "}, "must be a text that is not empty"),
    "wrong type": ("memory_search", {"query": {}}, "“query” must be a text"),
    "wrong scope": ("memory_search", {"query": "x", "scope": "all"}, "one of memory, reference"),
    "no object": ("memory_read", "Lens", "takes an object of arguments"),
    "no tool": ("memory_write", {}, "There is no tool “memory_write”. There are: memory_search"),
    "no such list": ("memory_list", {"tag": "none"}, "memory_status names folders"),
}


@pytest.mark.parametrize(("name", "arguments", "hint"), ERRORS.values(), ids=ERRORS.keys())
def test_an_error_says_how_to_go_on(
    tools: MemoryTools, name: str, arguments: object, hint: str
) -> None:
    answer = tools.answer(name, arguments)
    assert answer.is_error
    assert hint in answer.text
    assert size_of(answer.text) < 512


def test_a_long_page_is_read_in_parts_or_by_force(tools: MemoryTools, budget: Budget) -> None:
    text = ""
    for number in range(1, 100):
        budget.reset()
        arguments = {"page": "Long", "heading": "long", "part": number}
        answer = tools.call("memory_section", arguments)
        assert size_of(answer) <= budget.most_a_read
        head, _, body = answer.partition("\n\n")
        text += body
        if head.endswith("the last"):
            break
    assert "".join(text.split()) == "".join(PAGES["Long.md"].split())
    budget.reset()
    assert tools.call("memory_read", {"page": "Long", "force": "true"}).endswith(PAGES["Long.md"])
    assert budget.left < 2000
    assert "are too much for now" in tools.call("memory_read", {"page": "Long", "force": True})


def test_a_turn_has_a_budget(tools: MemoryTools, budget: Budget) -> None:
    said = [tools.call("memory_read", {"page": "Long"}) for _ in range(40)]
    assert sum(size_of(each) for each in said if "for this turn" not in each) <= 8192
    assert said[-1] == "Enough was looked up for this turn: answer with what you have."
    budget.reset()
    assert "It begins here." in tools.call("memory_read", {"page": "Long"})


def test_no_read_overruns_whatever_pages_are_called(tmp_path: Path) -> None:
    titles = [f"鏡頭{number}" + "长" * 70 for number in range(40)]
    links = " ".join(f"[[{title}]] [[wanted {title}]]" for title in titles)
    headings = "\n".join(f"## {title}\n\n### {'词' * 90}\n\n词语" for title in titles)
    folder = tmp_path / "notes" / ("夹" * 60) / ("夹" * 60)
    folder.mkdir(parents=True)
    for title in titles:
        (folder / f"{title}.md").write_text(f"# {title}\n\n{links}\n\n{headings}\n")
    budget = Budget()
    tools = MemoryTools(ReadOnlyWiki(tmp_path / "notes", tmp_path / "data").opened, budget)
    page = {"page": titles[0]}
    calls = [("memory_search", {"query": "鏡頭7 词语 qzqz zqzq"}), ("memory_list", {})]
    calls += [(f"memory_{name}", page) for name in ("read", "toc", "section", "links")]
    told = tools.call("memory_list", {}).splitlines()[1].removeprefix("- ").partition(" (")[0]
    calls += [("memory_toc", {"page": told})]
    calls += [("memory_section", page | {"heading": titles[3]}), ("memory_status", {})]
    for name, arguments in calls:
        budget.reset()
        answer = tools.answer(name, arguments)
        assert not answer.is_error, answer.text
        assert size_of(answer.text) <= budget.most_a_read
        assert len(answer.text.splitlines()) > 2 or name == "memory_status", answer.text
        assert "cut here" not in answer.text


def test_help_pages_are_no_memory(tmp_path: Path, budget: Budget) -> None:
    root = tmp_path / "wiki"
    missing = MemoryTools(ReadOnlyWiki(root, tmp_path).opened, budget)
    assert missing.call("memory_search", {"query": "x"}) == NO_WIKI
    assert not root.exists()
    prepare(root)
    assert "Welcome (articles/Welcome.md)" in missing.call("memory_list", {})
    title = "Using Zibaldone ("
    query = "Using Zibaldone commands keys"
    assert title not in missing.call("memory_search", {"query": query})
    found = missing.call("memory_search", {"query": query, "scope": "reference"})
    assert title in found
    assert "(articles/" not in found
    assert title not in missing.call("memory_list", {})
    assert title in missing.call("memory_list", {"folder": "Reference"})
    budget.reset()
    assert "Help pages of the program: 1" in missing.call("memory_status", {})
    assert title in missing.call("memory_toc", {"page": "Using Zibaldone"})


def test_what_must_not_reach_the_reader_is_taken_out(wiki: ReadOnlyWiki, budget: Budget) -> None:
    tools = MemoryTools(wiki.opened, budget, lambda text: text.replace("soft", "--"))
    for name, arguments in (
        ("memory_read", {"page": "Lens"}),
        ("memory_section", {"page": "Lens"}),
        ("memory_search", {"query": "soft cloth"}),
        ("memory_read", {"page": "soft"}),
    ):
        assert "soft" not in tools.call(name, arguments)


NAMES = st.sampled_from([*(tool.name for tool in MEMORY_TOOLS), "", "x\x00"])
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=40),
    st.sampled_from(["Lens", "Long", "Twin", 'lens "', "a\ud800", "-x", "x" * 3000, 10**5000]),
    st.lists(st.text(max_size=5), max_size=3),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)
KEYS = ("page", "query", "heading", "part", "limit", "scope", "force", "folder", "tag", "start")


@settings(
    max_examples=2000 if os.environ.get("ZIB_HARDEN") == "1" else 120,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(name=NAMES, arguments=st.one_of(VALUES, st.dictionaries(st.sampled_from(KEYS), VALUES)))
def test_whatever_is_asked_is_answered(
    tools: MemoryTools, budget: Budget, name: str, arguments: object
) -> None:
    budget.reset()
    answer = tools.call(name, arguments)
    assert answer.encode("utf-8")
    assert "1234" not in answer
    assert size_of(answer) <= 8192


@given(st.text(alphabet="ab \n鏡e\u0301\u200d👩", max_size=60), st.integers(4, 40))
def test_nothing_is_lost_in_cutting(text: str, most: int) -> None:
    pieces = parts(text, most)
    assert "".join(pieces) == text
    assert all(0 < size_of(piece) <= most for piece in pieces)
    assert size_of(clipped(text, most)) <= most


def test_cuts_leave_whole_characters() -> None:
    family = "👩\u200d👩\u200d👧"
    assert clipped(f"ab{family}", 12) == "ab…"
    assert cut_at(f"ab{family}c", 0, size_of(f"ab{family}")) == len(f"ab{family}")
    assert clipped("e\u0301e\u0301e\u0301", 8) == "e\u0301…"
