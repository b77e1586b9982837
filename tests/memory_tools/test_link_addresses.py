"""Addresses in answers and articles: told in full, and nearly never opened."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.document.document import read_document
from tui.document.layout.lay import lay
from tui.document.page import NoLibrary
from tui.document.targets import LinkTarget
from tui.markdown.address import chat_citation
from tui.markdown.parser import make_parser
from tui.screens.address import LONGEST, read_address, told
from tui.screens.links import article_link, opener


@pytest.mark.parametrize(
    ("written", "host", "remark", "can_open"),
    [
        ("https://example.com/a?b=c", "example.com", "", True),
        ("HTTP://Example.COM:8080/", "example.com", "", True),
        ("mailto:a@example.com", "", "", False),
        ("file:///etc/passwd", "", "never opens", False),
        ("smb://host/share", "host", "never opens", False),
        ("vscode://file/x", "file", "never opens", False),
        ("obsidian://open?path=/x", "open", "never opens", False),
        ("x-apple-helpbasic:x", "", "never opens", False),
        ("tel:123", "", "never opens", False),
        ("shell:startup", "", "never opens", False),
        ("ms-msdt:/id", "", "never opens", False),
        ("javascript:alert(1)", "", "never opens", False),
        ("data:image/png;base64,AAAA", "", "never opens", False),
        ("//evil.example/x", "evil.example", "does not say what kind", False),
        ("http:\\\\evil.example\\x", "", "backslashes", False),
        ("https://bank.example\\.evil.example/", "bank.example\\.evil.example", "backslash", False),
        ("https://bank.example@evil.example/", "evil.example", "before the @", False),
        ("https://bank.example:x@evil.example/", "evil.example", "before the @", False),
        ("https://bаnk.example/", "xn--bnk-6cd.example", "may look like others", False),
        ("https://xn--bnk-6cd.example/", "xn--bnk-6cd.example", "may look like others", True),
        ("https://１２７.0.0.1/", "127.0.0.1", "a number", False),
        ("http://127.0.0.1/", "127.0.0.1", "a number", True),
        ("http://0x7f000001/", "0x7f000001", "a number", True),
        ("http://2130706433/", "2130706433", "a number", True),
        ("http://[::1]/", "::1", "a number", True),
        ("https://example.com/\u202etxt.exe", "example.com", "cannot be seen", False),
        ("https://exam\u200bple.com/", "example.com", "cannot be seen", False),
        ("https://example.com/\x1b[31m", "example.com", "cannot be seen", False),
        ("https://example.com/a b", "example.com", "", False),
        (f"https://example.com/?q={'s' * 80}", "example.com", "carries a long text", True),
        ("https://[x", "", "no valid address", False),
        ("https:///x", "", "", False),
        (f"https://example.com/{'x' * 10_000}", "example.com", "", False),
    ],
)
def test_addresses(written: str, host: str, remark: str, can_open: bool) -> None:
    address = read_address(written)
    assert (address.host, address.can_open) == (host, can_open)
    assert remark in " ".join(address.remarks)
    assert bool(address.remarks) >= bool(remark)
    shown = told(address)
    assert written[:LONGEST] in shown
    assert host in shown
    # None of them is taken for a page of the wiki, and none is a citation.
    assert chat_citation(written) == ""


@given(st.text(max_size=80) | st.text(string.printable, max_size=80).map("http://{}".format))
def test_any_text_is_told_and_only_plain_web_addresses_open(written: str) -> None:
    address = read_address(written)
    assert written[:LONGEST] in told(address)
    if address.can_open:
        assert written.lower().startswith(("http://", "https://"))
        assert written.isascii()
        assert not set(written) & {" ", "\\"}


@pytest.mark.parametrize(
    "href", ["https://a", "//a", "file:///x", "x:y", "http://[x", "\\\\evil\\x", "../../.ssh/id"]
)
def test_what_is_no_address_is_a_page_of_the_wiki_at_most(href: str) -> None:
    link = article_link(href)
    assert (link is None) == (":" in href or href.startswith("//"))


def test_nothing_opens_addresses_where_there_is_no_desktop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert opener("https://example.com/", "linux") is None


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("conv:1a2b3c4d", "conv:1a2b3c4d"),
        (" conv:1A2B ", "conv:1a2b"),
        ("conv:12", ""),
        ("conv:xyz12345", ""),
        ("conv:1a2b3c4d/../x", ""),
        (f"conv:{'a' * 65}", ""),
        ("http://conv:1a2b", ""),
    ],
)
def test_citations(text: str, cited: str) -> None:
    assert chat_citation(text) == cited


PAGE = "Said.[^1]\n\nand `conv:1a2b3c4d` `code`\n\n[^1]: `conv:99998888` (2026-03-01, chat)\n"


def test_citations_in_articles_and_answers_are_links() -> None:
    document = read_document(PAGE, "articles/A.md", NoLibrary())
    found = [
        target.href
        for block in document.blocks
        for target in lay(block, 60).targets
        if isinstance(target, LinkTarget)
    ]
    assert found == ["conv:1a2b3c4d", "conv:99998888"]
    tokens = make_parser().parse("see `conv:1a2b3c4d` and [x `conv:1a2b3c4d`](http://e) `conv:x`")
    children = [child for token in tokens for child in token.children or ()]
    links = [child.attrs["href"] for child in children if child.type == "link_open"]
    assert links == ["conv:1a2b3c4d", "http://e"]
