"""Anchors of headings are GitHub's: the cases of the library that was measured against it.

The categories of Unicode are sampled; each sample stands between an `a` and a `b`.
"""

import pytest

from vault.anchors import heading_slug, unique_slug
from vault.article.page import parse_article

# In the order of one page: repeated ones are counted.
ON_ONE_PAGE = [
    ("alpha", "alpha"),
    ("alpha", "alpha-1"),
    ("bravoCharlieDelta", "bravocharliedelta"),
    ("__proto__", "__proto__"),
    ("__proto__", "__proto__-1"),
    ("hasOwnProperty", "hasownproperty"),
    ("echo", "echo"),
    ("echo", "echo-1"),
    ("echo 1", "echo-1-1"),
    ("echo-1", "echo-1-2"),
    ("echo", "echo-2"),
    ("foxtrot-1", "foxtrot-1"),
    ("foxtrot", "foxtrot"),
    ("foxtrot", "foxtrot-2"),
    ("heading with a - dash", "heading-with-a---dash"),
    ("heading with an _ underscore", "heading-with-an-_-underscore"),
    ("heading with a period.txt", "heading-with-a-periodtxt"),
    (
        "exchange.bind_headers(exchange, routing [, bindCallback])",
        "exchangebind_headersexchange-routing--bindcallback",
    ),
    (" ", "-"),
    (" a", "-a"),
    ("a ", "a-"),
    (" a ", "-a-"),
    ("-a-", "-a--1"),
    ("apostrophe’s should be trimmed", "apostrophes-should-be-trimmed"),
    ("golf", "golf"),
    ("golf", "golf-1"),
    ("golf", "golf-2"),
    ("I ♥ unicode", "i--unicode"),
    ("dash-dash", "dash-dash"),
    ("en–dash", "endash"),
    ("em–dash", "emdash"),
    ("😄 unicode emoji", "-unicode-emoji"),
    ("😄-😄 unicode emoji", "--unicode-emoji"),
    ("😄_😄 unicode emoji", "_-unicode-emoji"),
    ("😄 - an emoji", "---an-emoji"),
    (":smile: - a gemoji", "smile---a-gemoji"),
    ("Привет", "привет"),
    ("Профили пользователей", "профили-пользователей"),
    ("Привет non-latin 你好", "привет-non-latin-你好"),
    (":ok: No underscore", "ok-no-underscore"),
    (":ok_hand: Single", "ok_hand-single"),
    (
        ":ok_hand::hatched_chick: Two in a row with no spaces",
        "ok_handhatched_chick-two-in-a-row-with-no-spaces",
    ),
    (":ok_hand: :hatched_chick: Two in a row", "ok_hand-hatched_chick-two-in-a-row"),
]

CATEGORIES = [
    (
        "Cased_Letter",
        "aA \u03f3 \u1d6d \u2c69 \U00010435 \U0001d569 \U0001e943b",
        "aa-\u03f3-\u1d6d-\u2c6a-\U00010435-\U0001d569-\U0001e943b",
    ),
    ("Close_Punctuation", "a) \u2769 \u27ef \u29d9 \u3015 \ufe3e \uff63b", "a------b"),
    (
        "Connector_Punctuation",
        "a_ \u203f \u2054 \ufe33 \ufe4d \ufe4e \uff3fb",
        "a_-\u203f-\u2054-\ufe33-\ufe4d-\ufe4e-\uff3fb",
    ),
    ("Currency_Symbol", "a$ \u09f3 \u20a4 \u20ae \u20b8 \ufe69 \U0001ecb0b", "a------b"),
    ("Dash_Punctuation", "a- \u1806 \u2013 \u2e1a \u301c \ufe32 \U00010eadb", "a-------b"),
    (
        "Decimal_Number",
        "a0 \u0c6d \u194c \ua9d5 \U000112f2 \U00016a61 \U0001fbf9b",
        "a0-\u0c6d-\u194c-\ua9d5-\U000112f2-\U00016a61-\U0001fbf9b",
    ),
    (
        "Enclosing_Mark",
        "a\u0488 \u1abe \u20de \u20e0 \u20e3 \ua670 \ua672b",
        "a\u0488-\u1abe-\u20de-\u20e0-\u20e3-\ua670-\ua672b",
    ),
    ("Final_Punctuation", "a\xbb \u2019 \u203a \u2e03 \u2e0a \u2e0d \u2e21b", "a------b"),
    ("Format", "a\xad \u2064 \U0001bca1 \U000e002f \U000e0049 \U000e0064 \U000e007fb", "a------b"),
    ("Initial_Punctuation", "a\xab \u2018 \u201c \u2039 \u2e04 \u2e0c \u2e20b", "a------b"),
    (
        "Letter",
        "aA \u70ae \uc8e1 \U000200b8 \U0002554f \U0002ab50 \U0003134ab",
        "aa-\u70ae-\uc8e1-\U000200b8-\U0002554f-\U0002ab50-\U0003134ab",
    ),
    (
        "Letter_Number",
        "a\u16ee \u2186 \U0001014d \U00010174 \U0001241f \U00012446 \U0001246eb",
        "a\u16ee-\u2186-\U0001014d-\U00010174-\U0001241f-\U00012446-\U0001246eb",
    ),
    ("Line_Separator", "a\u2028b", "ab"),
    (
        "Lowercase_Letter",
        "aa \u03cd \u1d94 \u2caf \uff56 \U0001d55f \U0001e943b",
        "aa-\u03cd-\u1d94-\u2caf-\uff56-\U0001d55f-\U0001e943b",
    ),
    (
        "Mark",
        "a\u0300 \u09bf \u17ca \ua8b6 \U000115be \U0001da2d \U000e01efb",
        "a\u0300-\u09bf-\u17ca-\ua8b6-\U000115be-\U0001da2d-\U000e01efb",
    ),
    ("Math_Symbol", "a+ \u2264 \u239b \u2941 \u29f7 \u2a98 \U0001eef1b", "a------b"),
    (
        "Modifier_Letter",
        "a\u02b0 \u07f4 \u1d44 \u1d9e \u2097 \ua788 \U0001e94bb",
        "a\u02b0-\u07f4-\u1d44-\u1d9e-\u2097-\ua788-\U0001e94bb",
    ),
    ("Modifier_Symbol", "a^ \u02dc \u02f7 \u1fdf \ua70c \ufbb4 \U0001f3ffb", "a------b"),
    (
        "Nonspacing_Mark",
        "a\u0300 \u08dd \u17ba \ua8c4 \U00011727 \U0001daaa \U000e01efb",
        "a\u0300-\u08dd-\u17ba-\ua8c4-\U00011727-\U0001daaa-\U000e01efb",
    ),
    (
        "Number",
        "a0 \u1816 \u3249 \U0001085b \U000112f8 \U00016e87 \U0001fbf9b",
        "a0-\u1816---\U000112f8--\U0001fbf9b",
    ),
    ("Open_Punctuation", "a( \u230a \u27ea \u2997 \u300e \ufe3b \uff62b", "a------b"),
    (
        "Other_Letter",
        "a\xaa \u7721 \uce24 \U000208ff \U00025ada \U0002ae15 \U0003134ab",
        "a\xaa-\u7721-\uce24-\U000208ff-\U00025ada-\U0002ae15-\U0003134ab",
    ),
    (
        "Other_Number",
        "a\xb2 \u247c \ua833 \U000109de \U00011060 \U0001d377 \U0001f10cb",
        "a------b",
    ),
    ("Other_Punctuation", "a! \u0f0a \u2016 \u2e47 \uff07 \U000115c1 \U0001e95fb", "a------b"),
    (
        "Other_Symbol",
        "a\xa6 \u26e5 \u320f \U0001d1ae \U0001f15c \U0001f68e \U0001fbcab",
        "a----\U0001f15c--b",
    ),
    ("Paragraph_Separator", "a\u2029b", "ab"),
    (
        "Private_Use",
        "a\ue000 \U000f3f9a \U000f998c \U000ff37e \U00104c1a \U0010a60c \U0010fffdb",
        "a------b",
    ),
    ("Punctuation", "a! \u104a \u2049 \u2e2a \ufe32 \U000110bf \U0001e95fb", "a------b"),
    ("Separator", "a  \u2000 \u2003 \u2006 \u2009 \u2029 \u3000b", "a-------b"),
    ("Space_Separator", "a  \u1680 \u2002 \u2005 \u2007 \u200a \u3000b", "a-------b"),
    (
        "Spacing_Mark",
        "a\u0903 \u0d02 \u1926 \ua8bc \U0001134b \U00011d8a \U0001d172b",
        "a\u0903-\u0d02-\u1926-\ua8bc-\U0001134b-\U00011d8a-\U0001d172b",
    ),
    ("Symbol", "a$ \u25c8 \u2b0f \ufbba \U0001d9de \U0001f5d1 \U0001fbcab", "a------b"),
    (
        "Titlecase_Letter",
        "a\u01c5 \u1f89 \u1f8e \u1f9b \u1fa8 \u1fad \u1ffcb",
        "a\u01c6-\u1f81-\u1f86-\u1f93-\u1fa0-\u1fa5-\u1ff3b",
    ),
    (
        "Unassigned",
        "a\u0378 \U00046947 \U000688c9 \U0008a84a \U000abfaf \U000cdf31 \U0010ffffb",
        "a------b",
    ),
    (
        "Uppercase_Letter",
        "aA \u040d \u1c91 \u2c21 \U000104cd \U0001d57c \U0001e921b",
        "aa-\u045d-\u10d1-\u2c51-\U000104f5-\U0001d57c-\U0001e943b",
    ),
]


def test_slugs_of_one_page_are_those_of_github() -> None:
    emitted: dict[str, int] = {}
    slugs = [unique_slug(heading_slug(title), emitted) for title, _ in ON_ONE_PAGE]
    assert slugs == [slug for _, slug in ON_ONE_PAGE]


@pytest.mark.parametrize(("category", "title", "slug"), CATEGORIES)
def test_characters_are_kept_by_category_as_at_github(category: str, title: str, slug: str) -> None:
    assert heading_slug(title) == slug, category


@pytest.mark.parametrize(
    ("source", "anchor"),
    [
        ("# &#x20;a&#x20;", "-a-"),
        ("# &#x20;", "-"),
        ("#   a   #", "a"),
        ("# &#x20;*a*", "-a"),
        ("# ", ""),
    ],
)
def test_only_the_parser_trims(source: str, anchor: str) -> None:
    (heading,) = parse_article(f"{source}\n").headings
    assert heading.anchor == anchor
    assert heading.title == heading.title.strip()
