from collections.abc import Mapping
from pathlib import Path

import pytest

from vault.links.known import PageNames, read_page_names
from vault.links.resolve import Found, LinkResolver, Refused, Wanted
from vault.links.scan import find_links
from vault.listing import list_vault

NOTES = [
    *("index.md", "Projects.md", "Camera_bag.md", "C#.md", "Photo/50mm f-1.8.md"),
    *("Photo/index.md", "Work/Photo/index.md", "Work/plan.md", "Home/plan.md", "cafe\u0301.md"),
    *("Deep/er/Unique name.md", "README.md", "Twin.md", "twin.md", "v1.0.md", "a.b.md"),
]


@pytest.fixture
def resolver(tmp_path: Path) -> LinkResolver:
    for name in NOTES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    return LinkResolver(note.path for note in list_vault(tmp_path).notes)


def resolve(
    resolver: LinkResolver, text: str, from_path: str = "Work/plan.md"
) -> Found | Wanted | Refused:
    (link,) = find_links(text)
    return resolver.resolve(link, from_path)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("[[Projects]]", "Projects.md"),
        ("[[Projects.md]]", "Projects.md"),
        ("[[projects]]", "Projects.md"),
        ("[[Camera bag]]", "Camera_bag.md"),
        ("[[camera_BAG]]", "Camera_bag.md"),
        ("[[50mm f-1.8]]", "Photo/50mm f-1.8.md"),
        ("[[50mm_f-1.8]]", "Photo/50mm f-1.8.md"),
        ("[[er/unique NAME]]", "Deep/er/Unique name.md"),
        ("[[Unique name|shown]]", "Deep/er/Unique name.md"),
        ("[[café]]", "cafe\u0301.md"),
        ("[[C#]]", "C#.md"),
        ("[[Twin]]", "Twin.md"),
        ("[[twin]]", "twin.md"),
        ("[[v1.0]]", "v1.0.md"),
        ("[[/index]]", "index.md"),
        ("[[index]]", "index.md"),
        ("[[./plan]]", "Work/plan.md"),
        ("[[../Home/plan]]", "Home/plan.md"),
        ("[[Work/Photo/index]]", "Work/Photo/index.md"),
        ("[x](plan.md)", "Work/plan.md"),
        ("[x](Photo/index.md)", "Work/Photo/index.md"),
        ("[x](../Photo/index.md)", "Photo/index.md"),
        ("[x](/Photo/index)", "Photo/index.md"),
        ("[x](Unique%20name.md)", "Deep/er/Unique name.md"),
        ("[[#part]]", "Work/plan.md"),
        ("[x](#part)", "Work/plan.md"),
    ],
)
def test_a_link_finds_its_note(resolver: LinkResolver, text: str, path: str) -> None:
    found = resolve(resolver, text)
    assert isinstance(found, Found), found
    assert found.path == path
    assert not found.is_ambiguous


@pytest.mark.parametrize(
    ("text", "candidates"),
    [
        ("[[plan]]", ("Home/plan.md", "Work/plan.md")),
        ("[[TWIN]]", ("Twin.md", "twin.md")),
    ],
)
def test_an_ambiguous_link_takes_the_shortest_path_from_everywhere(
    resolver: LinkResolver, text: str, candidates: tuple[str, ...]
) -> None:
    for from_path in ("Work/plan.md", "Home/plan.md", "index.md"):
        found = resolve(resolver, text, from_path)
        assert isinstance(found, Found)
        assert found.candidates == candidates
        assert found.path == candidates[0]
        assert found.is_ambiguous


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("[[Nothing yet]]", "Nothing yet"),
        ("[[Nothing yet#part|x]]", "Nothing yet"),
        ("[[ique name]]", "ique name"),
        ("[[./Projects]]", "Work/Projects"),
        ("[[Photo/Nothing]]", "Photo/Nothing"),
        ("[[/Unique name]]", "Unique name"),
        ("[[%2e%2e%2fProjects]]", "%2e%2e%2fProjects"),
    ],
)
def test_a_wanted_page_is_named(resolver: LinkResolver, text: str, name: str) -> None:
    assert resolve(resolver, text) == Wanted(name)


@pytest.mark.parametrize(
    "text",
    [
        "[[../../x]]",
        "[[a/../../../x]]",
        "[[..\\..\\x]]",
        "[x](../../../etc/passwd)",
        "[x](%2e%2e/%2e%2e/x.md)",
        "[[..]]",
        "[[a\0b]]",
    ],
)
def test_a_way_out_is_refused(resolver: LinkResolver, text: str) -> None:
    refused = resolve(resolver, text)
    assert isinstance(refused, Refused)
    assert refused.reason.endswith(".")


def test_another_name_is_the_last_resort() -> None:
    asked: list[int] = []

    def names() -> Mapping[str, PageNames]:
        asked.append(1)
        return {
            "a1.md": PageNames("My Title", aliases=("Mine", "my title")),
            "b2.md": PageNames("Same"),
            "c3.md": PageNames(title="Same"),
            "gone.md": PageNames("Gone"),
        }

    resolver = LinkResolver(("a1.md", "b2.md", "c3.md"), names)
    assert resolve(resolver, "[[a1]]") == Found("a1.md", None, ("a1.md",))
    assert asked == []
    assert resolve(resolver, "[[my title#x]]") == Found("a1.md", "x", ("a1.md",))
    assert resolve(resolver, "[[mine]]") == Found("a1.md", None, ("a1.md",))
    assert resolve(resolver, "[[Same]]") == Wanted("Same"), "only when it is unique"
    assert resolve(resolver, "[[Gone]]") == Wanted("Gone"), "only of a note that is there"
    assert asked == [1]


REDIRECTS = {
    "Old.md": "# Old\n\n*Redirects to [[New#Part]].*\n",
    "New.md": "# New\n",
    "First.md": "# First\n\n*Redirects to [[Old]].*\n",
    "Self.md": "*Redirects to [[Self]].*\n",
    "Lost.md": "*Redirects to [[Nowhere]].*\n",
    "Code.md": "```\n*Redirects to [[New]].*\n```\n",
    "Talk.md": "It redirects to [[New]] they say.\n",
}


@pytest.mark.parametrize(
    ("text", "path", "fragment", "redirect"),
    [
        ("[[Old]]", "New.md", "Part", "Old.md"),
        ("[[Old#Other]]", "New.md", "Other", "Old.md"),
        ("[[First]]", "Old.md", None, "First.md"),
        ("[[Self]]", "Self.md", None, None),
        ("[[Lost]]", "Lost.md", None, None),
        ("[[Code]]", "Code.md", None, None),
        ("[[Talk]]", "Talk.md", None, None),
        ("[[New]]", "New.md", None, None),
    ],
)
def test_a_redirect_is_followed_once(
    text: str, path: str, fragment: str | None, redirect: str | None
) -> None:
    names = {path: read_page_names(text) for path, text in REDIRECTS.items()}
    resolver = LinkResolver(REDIRECTS, lambda: names)
    (link,) = find_links(text)
    found = resolver.follow(link, "x.md")
    assert isinstance(found, Found)
    assert (found.path, found.fragment, found.redirect) == (path, fragment, redirect)
    named = resolver.resolve(link, "x.md")
    assert isinstance(named, Found)
    assert named.path == text.strip("[]").partition("#")[0] + ".md"


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("# A title \nx", "A title"),
        ("\ufeff# BOM\n", "BOM"),
        ("# Closed ##\n", "Closed"),
        ("# C# and F#\n", "C# and F#"),
        ("---\ntitle: x\n---\n# After\n", "After"),
        ("```\n# code\n```\n# Real\n", "Real"),
        ("Setext\n===\n", "Setext"),
        ("#hash\n\n# Real\n", "Real"),
        ("## Two\n", None),
        ("", None),
    ],
)
def test_the_first_heading_is_read(text: str, heading: str | None) -> None:
    assert read_page_names(text).heading == heading


@pytest.mark.parametrize(
    ("front", "title", "aliases"),
    [
        ("aliases: [Ann, 'Bob''s']\ntitle: The page", "The page", ("Ann", "Bob's")),
        ("alias: one, two", None, ("one", "two")),
        ('aliases:\n  - "a: b"\n  - 1984', None, ("a: b", "1984")),
        ("aliases:\ntitle:", None, ()),
        ("aliases: [unclosed\ntitle: Still", "Still", None),
        ("", None, ()),
    ],
)
@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_other_names_are_read_from_the_properties(
    front: str, title: str | None, aliases: tuple[str, ...] | None, line_break: str
) -> None:
    text = f"---\n{front}\n---\n# Heading\n\n---\nmore".replace("\n", line_break)
    names = read_page_names(text)
    assert names.heading == "Heading"
    assert names.title == title
    assert aliases is None or names.aliases == aliases


@pytest.mark.parametrize(
    "text", ["---", "---\n", "---\na: b", "--- x\na: b\n---\n", "----\na\n----\n"]
)
def test_front_matter_that_is_none_has_no_names(text: str) -> None:
    assert read_page_names(text).aliases == ()
