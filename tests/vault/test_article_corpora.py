"""Everything here runs over real pages that others wrote."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.vault.pages_of_others import KEPT, folders, pages
from vault.article.front_matter_edits import remove_property, set_property
from vault.article.lines import with_breaks
from vault.article.normalise import normalise
from vault.article.opening_edits import set_categories, set_infobox_field, set_stub
from vault.article.page import Article, open_article
from vault.article.section_edits import append_to_section, insert_section, replace_section
from vault.article.splices import Edits
from vault.article.structure import find_faults, read_structure
from vault.errors import EditRefused
from vault.links.scan import find_links

FOLDERS = list(folders())
NAMES = [f"{folder.parent.name}/{folder.name}" for folder in FOLDERS]
WIKILINK = re.compile(r"\[\[[^\[\]\n]+\]\]")


def plain_body(article: Article) -> str:
    """The page with LF only and its front matter blank, as a whole Markdown parser takes it."""
    rest = article.text[article.layout.lines.start(article.layout.front_lines) :]
    return "\n" * article.layout.front_lines + with_breaks(rest, "\n")


def inner_texts(tokens: list[Token]) -> Iterator[str]:
    """The runs of text outside code, HTML and links, as a whole Markdown parser sees them."""
    for token in tokens:
        if token.type == "inline":
            children = token.children or []
            yield "".join(child.content if child.type == "text" else "\n" for child in children)


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_every_page_opens_and_keeps_its_bytes(folder: Path) -> None:
    count = 0
    for path in pages(folder):
        content = path.read_bytes()
        article = open_article(content)
        assert article.read_only_reason is None, path
        assert article.spliced(content, ()) == content, path
        front = article.front_matter.end if article.front_matter else 0
        ranges = [(0, front), *((each.start, each.end) for each in article.sections)]
        assert "".join(article.text[start:end] for start, end in ranges) == article.text, path
        read_structure(article)
        find_faults(article)
        count += 1
    assert count > 10


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_headings_are_those_of_a_whole_parser(folder: Path) -> None:
    parser = MarkdownIt("commonmark")
    for path in pages(folder):
        article = open_article(path.read_bytes())
        tokens = parser.parse(plain_body(article))
        expected = [
            (token.map[0], int(token.tag[1:]), tokens[index + 1].content)
            for index, token in enumerate(tokens)
            if token.type == "heading_open" and token.map
        ]
        assert [(each.line, each.level, each.source) for each in article.headings] == expected, path


@pytest.mark.parametrize("folder", [each for each in FOLDERS if each.name == "til"])
def test_no_link_comes_from_code(folder: Path) -> None:
    parser = MarkdownIt("commonmark")
    in_code = 0
    for path in pages(folder):
        article = open_article(path.read_bytes())
        expected = sum(
            len(WIKILINK.findall(text)) for text in inner_texts(parser.parse(plain_body(article)))
        )
        found = [link for link in find_links(article.text) if link.form == "wikilink"]
        assert len(found) <= expected, path
        in_code += len(WIKILINK.findall(article.text)) - expected
    assert in_code > 5


KEPT_PAGES = [path for folder in FOLDERS if folder.parent == KEPT for path in pages(folder)]


@pytest.mark.parametrize("line_break", ["\r\n", "\r"], ids=["crlf", "cr"])
def test_other_line_breaks_and_a_mark_change_nothing_but_themselves(line_break: str) -> None:
    for path in KEPT_PAGES:
        content = path.read_bytes()
        article = open_article(content)
        other_content = b"\xef\xbb\xbf" + with_breaks(article.text, line_break).encode()
        other = open_article(other_content)
        assert other.spliced(other_content, ()) == other_content
        assert [each.path for each in other.sections] == [each.path for each in article.sections]
        assert [each.anchor for each in other.headings] == [
            each.anchor for each in article.headings
        ]
        assert with_breaks(other.prose, "\n") == with_breaks(article.prose, "\n"), path
        if article.front_matter:
            assert other.front_matter is not None
            assert [(each.key, each.texts) for each in other.front_matter.properties] == [
                (each.key, each.texts) for each in article.front_matter.properties
            ], path


def edits_of(article: Article) -> Iterator[Edits]:
    yield set_infobox_field(article, "kind", "thing")
    yield set_categories(article, ["Tests"])
    yield set_stub(article, True)
    yield insert_section(article, "Notes", "A note.")
    for section in article.sections[:4]:
        yield append_to_section(article, section, "More.")
        yield replace_section(article, section, "Other.")
    yield set_property(article, "zib test", "new")
    for each in article.front_matter.properties if article.front_matter else ():
        yield set_property(article, each.key, ["a", "b"])
        yield remove_property(article, each.key)


@pytest.mark.parametrize("has_crlf", [False, True], ids=["lf", "crlf"])
def test_an_edit_of_a_page_changes_one_range(has_crlf: bool) -> None:
    count = refused = 0
    for path in KEPT_PAGES:
        content = path.read_bytes()
        if has_crlf:
            content = content.replace(b"\n", b"\r\n")
        article = open_article(content)
        every = edits_of(article)
        while True:
            try:
                edits = next(every)
            except StopIteration:
                break
            except EditRefused:
                # The generator ends with the first refusal: malformed properties, an open fence.
                refused += 1
                break
            count += 1
            changed = article.spliced(content, edits)
            start = min((article.byte_range(each.start, each.end)[0] for each in edits), default=0)
            end = max((article.byte_range(each.start, each.end)[1] for each in edits), default=0)
            tail = content[end:]
            assert changed.startswith(content[:start]), path
            assert changed.endswith(tail), path
            assert b"\r\n" not in content or b"\n" not in changed.replace(b"\r\n", b""), path
    assert count > 1000
    assert refused < len(KEPT_PAGES) // 10


def test_the_usual_form_of_any_page_settles() -> None:
    for path in KEPT_PAGES[::4]:
        text = open_article(path.read_bytes()).text
        once = normalise(text, "A_page", lambda target: None)
        assert normalise(once.text, "A_page", lambda target: None).text == once.text, path
