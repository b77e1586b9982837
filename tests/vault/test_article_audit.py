import pytest

from vault.article.audit import audit_article, summarise
from vault.article.page import parse_article

CLEAN = """# Lens

```info
kind: thing
mount: [[K mount]]
```

The **lens** is light.[^1]

## Use

It is used in the evening.[^2]

## Optics

*Main article: [[Optics]]*

## See also

- [[Camera bag]]

## References

[^1]: `conv:0a1b2c3d` (2024-05-06, chat)
[^2]: `conv:9f8e7d6c` (2024-05-07, chat)
"""


def exists(target: str) -> bool:
    return target in {"K mount", "Camera bag"}


def test_a_clean_article_passes() -> None:
    audit = audit_article(parse_article(CLEAN), "Lens", exists)
    assert audit.is_passed
    assert audit.citations == 2
    assert audit.has_infobox


@pytest.mark.parametrize(
    ("stem", "old", "new", "dangling", "uncited"),
    [
        ("Lens_and_bag", "", "", (), ()),
        ("Lens", "[[K mount]]", "[[Nobody]]", ("Nobody",), ()),
        ("Lens", "evening.[^2]", "evening.", (), ("Use",)),
        ("Lens", "light.[^1]", "light.[^1][^9]", (), ()),
        (
            "Lens",
            "*Main article: [[Optics]]*",
            "*Main article: [[Optics]]*\n\nMore.",
            (),
            ("Optics",),
        ),
        ("Lens", "## See also", "### Deep\n\nMore.\n\n## See also", (), ("Optics",)),
    ],
)
def test_a_fault_fails_the_article(
    stem: str, old: str, new: str, dangling: tuple[str, ...], uncited: tuple[str, ...]
) -> None:
    audit = audit_article(parse_article(CLEAN.replace(old, new)), stem, exists)
    assert not audit.is_passed
    assert audit.dangling == dangling
    assert audit.uncited == uncited
    assert audit.is_one_subject is (stem == "Lens")


def test_a_red_link_that_the_text_mentions_is_no_fault() -> None:
    text = CLEAN.replace("[[K mount]]", "[[Nobody_yet]]").replace("is light", "is by Nobody yet")
    assert audit_article(parse_article(text), "Lens", exists).is_passed


def test_the_summary_counts() -> None:
    pages = {
        "Lens": CLEAN,
        "Bags_and_straps": CLEAN,
        "Bag": CLEAN.replace("Lens", "Bag"),
    }
    summary = summarise(
        {stem: audit_article(parse_article(text), stem, exists) for stem, text in pages.items()}
    )
    assert (summary.articles, summary.passed, summary.bad_titles) == (3, 2, 1)
    assert (summary.with_infobox, summary.with_citation) == (3, 3)
    assert summary.failing == ("Bags_and_straps",)
