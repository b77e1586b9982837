"""Inline tokens as runs of text, with the links among them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from urllib.parse import unquote

from markdown_it.token import Token

from tui.document.lines import NO_LINK, Run, Runs
from tui.document.page import LinkStatus, Page
from tui.document.roles import Role
from tui.document.signs import (
    AMBIGUOUS_SIGN,
    EMBED_SIGN,
    EXTERNAL_SIGN,
    PICTURE_SIGN,
    WANTED_SIGN,
    note_sign,
)
from tui.document.targets import LinkTarget, NoteMark, Target
from tui.markdown.address import chat_citation, wiki_address
from tui.text.sanitise import to_display

_EAST_ASIAN = 0x2E80
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_IN_TEXT = re.compile(
    r"==(?P<marked>[^=\n]+)=="
    r"|(?<![\w&/#])(?P<tag>#[\w/-]*[^\W\d][\w/-]*)"
    r"|(?P<block_id>[ ]\^[A-Za-z0-9-]+)\Z"
)
_DROPPED_TAG = re.compile(
    r"</?(?:b|i|u|s|em|strong|sup|sub|kbd|small|big|mark|del|ins|span|font|center|abbr|cite|a|p)"
    r"(?:\s[^>]*)?/?>",
    re.IGNORECASE,
)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_ROLES = {"strong": Role.STRONG, "em": Role.EMPHASIS, "s": Role.STRUCK}
_STATUS_SIGNS = {
    LinkStatus.KNOWN: (Role.LINK, ""),
    LinkStatus.WANTED: (Role.WANTED, WANTED_SIGN),
    LinkStatus.AMBIGUOUS: (Role.AMBIGUOUS, AMBIGUOUS_SIGN),
}


@dataclass(slots=True)
class _Reader:
    page: Page
    targets: list[Target]
    runs: list[Run] = field(default_factory=list)
    roles: list[Role] = field(default_factory=list)
    link: int = NO_LINK
    sign: str = ""

    def add(self, text: str, *roles: Role) -> None:
        # Entities become characters only here, behind the sanitiser of the page.
        shown = to_display(text, multiline=False)
        if shown:
            self.runs.append(Run(shown, (*self.roles, *roles), self.link))

    def take(self, token: Token) -> None:
        match token.type:
            case "text" | "text_special":
                self._text(token.content)
            case "softbreak":
                self._softbreak()
            case "hardbreak":
                self.runs.append(Run("\n", (), self.link))
            case "code_inline":
                self._code(token.content)
            case "math":
                self.add(token.content, Role.MATH)
            case "html_inline":
                self._html(token.content)
            case "link_open":
                self._open_link(str(token.attrs.get("href", "")))
            case "link_close":
                self._close_link()
            case "wikilink" | "embed":
                self._wikilink(token)
            case "note_mark":
                self._whole(note_sign(token.content), NoteMark(token.content), Role.NOTE)
            case "image":
                self._image(token)
            case _:
                self._mark(token)

    def _mark(self, token: Token) -> None:
        name, _, side = token.type.rpartition("_")
        role = _ROLES.get(name)
        if role is not None and side == "open":
            self.roles.append(role)
        elif role is not None and role in self.roles:
            self.roles.remove(role)

    def _text(self, text: str) -> None:
        done = 0
        for found in _IN_TEXT.finditer(text) if "#" in text or "=" in text or "^" in text else ():
            self.add(text[done : found.start()])
            match found.lastgroup:
                case "marked":
                    self.add(found["marked"], Role.MARKED)
                case "tag":
                    self.add(found["tag"], Role.TAG)
                case _:
                    self.add(found.group(), Role.QUIET)
            done = found.end()
        self.add(text[done:])

    def _code(self, code: str) -> None:
        cited = chat_citation(code) if self.link == NO_LINK else ""
        if cited:
            self._whole(code, LinkTarget(cited, self.page.path), Role.LINK)
        else:
            self.add(code, Role.CODE)

    def _softbreak(self) -> None:
        # Chinese and Japanese put no space where a line was broken.
        if not self.runs or ord(self.runs[-1].text[-1]) < _EAST_ASIAN:
            self.runs.append(Run(" ", (), self.link))

    def _html(self, html: str) -> None:
        if _BREAK.fullmatch(html):
            self.runs.append(Run("\n"))
        elif not html.startswith("<!--") and not _DROPPED_TAG.fullmatch(html):
            self.add(html, Role.QUIET)

    def _open_link(self, href: str) -> None:
        self.link = len(self.targets)
        if _SCHEME.match(href):
            role, self.sign = Role.EXTERNAL, EXTERNAL_SIGN
        else:
            href = unquote(href)
            role, self.sign = self._status(href, is_wikilink=False)
        self.targets.append(LinkTarget(href, self.page.path))
        self.roles.append(role)

    def _close_link(self) -> None:
        if self.sign:
            self.add(self.sign)
        if self.link != NO_LINK and self.roles:
            self.roles.pop()
        self.link, self.sign = NO_LINK, ""

    def _wikilink(self, token: Token) -> None:
        target = str(token.attrs.get("target", ""))
        if target.casefold().startswith("category:"):
            self.add(token.content or target[len("category:") :].strip(), Role.TAG)
            return
        role, sign = self._status(target, is_wikilink=True)
        label = token.content or target.removeprefix("#").replace("#", " › ")
        before = EMBED_SIGN if token.type == "embed" else ""
        href = LinkTarget(wiki_address(target), self.page.path)
        self._whole(f"{before}{label}{sign}", href, role)

    def _image(self, token: Token) -> None:
        href = unquote(str(token.attrs.get("src", "")))
        label = token.content or href
        if self.link == NO_LINK:
            role = Role.EXTERNAL if _SCHEME.match(href) else Role.LINK
            sign = EXTERNAL_SIGN if role is Role.EXTERNAL else ""
            self._whole(f"{PICTURE_SIGN}{label}{sign}", LinkTarget(href, self.page.path), role)
        else:
            self.add(f"{PICTURE_SIGN}{label}")

    def _whole(self, text: str, target: Target, role: Role) -> None:
        outer, self.link = self.link, len(self.targets)
        self.targets.append(target)
        self.add(text, role)
        self.link = outer

    def _status(self, target: str, is_wikilink: bool) -> tuple[Role, str]:
        if target.startswith("#") or not target:
            return Role.LINK, ""
        return _STATUS_SIGNS[self.page.library.status(target, self.page.path, is_wikilink)]


def read_inline(source: str, page: Page, targets: list[Target]) -> Runs:
    """The runs of a paragraph's source; what can be chosen in it is added to `targets`."""
    reader = _Reader(page, targets)
    for token in page.inline(source):
        reader.take(token)
    return _joined(reader.runs)


def is_external(href: str) -> bool:
    """Whether an address leads out of the wiki."""
    return _SCHEME.match(href) is not None


def _joined(runs: list[Run]) -> Runs:
    """Neighbours that look alike as one, empty ones left out."""
    found: list[Run] = []
    for run in runs:
        if not run.text:
            continue
        last = found[-1] if found else None
        if last is not None and last.roles == run.roles and last.link == run.link:
            found[-1] = replace(last, text=last.text + run.text)
        else:
            found.append(run)
    return tuple(found)
