import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault.links.tags import find_tags, is_under, tag_key

CASES = [
    ("#a", ["a"]),
    ("a #b c", ["b"]),
    ("#a/b/c and (#d)", ["a/b/c", "d"]),
    ("#tag, #tag2; #tag3.", ["tag", "tag2", "tag3"]),
    ("#y2024 #2024 #1/2 #2024-01", ["y2024"]),
    ("# heading\n## #inside", ["inside"]),
    ("#读书，#思考。", ["读书", "思考"]),
    ("#été #naïve #Ünïcode", ["été", "naïve", "Ünïcode"]),
    ("#🗂️ #👩\u200d🚀 #🇩🇪x", ["🗂️", "👩\u200d🚀", "🇩🇪x"]),
    ("a#b &#39; &#x27; C# F#", []),
    ("`#a` and ``#b``", []),
    ("```\n#include <x>\n```", []),
    ("    #indented", []),
    ("%% #hidden %% <!-- #too --> #seen", ["seen"]),
    ("https://x/#/settings#privacy #ok", ["ok"]),
    ("<https://x/#a> [t](p.md#b) [[P#c]] [[P]]#d", []),
    ("[#in label](x.md)", []),
    ("[ref]: x.md#frag", []),
    ("---\ntitle: #no\n---\n#yes", ["yes"]),
    ("#trailing/ #dash- #under_", ["trailing", "dash", "under_"]),
    (r"\#escaped", []),
    ("##a #", []),
    ("- #in-list\n> #in-quote", ["in-list", "in-quote"]),
    ("| #cell |", ["cell"]),
]


@pytest.mark.parametrize(("text", "names"), CASES, ids=[text[:20] for text, _ in CASES])
def test_tags(text: str, names: list[str]) -> None:
    found = find_tags(text)
    assert [tag.name for tag in found] == names
    for tag in found:
        assert text[tag.start : tag.end] == f"#{tag.name}"


def test_case_does_not_count_and_tags_nest() -> None:
    assert tag_key("#Books/SF/") == tag_key("books/sf")
    assert is_under("books/sf", "books")
    assert is_under("books", "books")
    assert not is_under("bookshelf", "books")


@given(st.text(alphabet="#a1 /-_[](`\n<&é读🗂", max_size=40))
def test_any_text_has_tags_where_it_says(text: str) -> None:
    for tag in find_tags(text):
        assert text[tag.start : tag.end] == f"#{tag.name}"
        assert tag.name
