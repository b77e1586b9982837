"""Questions whose answer is known, made from other people's wikis.

What gives an answer away is taken out of the copy that is searched: the aliases, the description,
the heading asked for, the marks of the link asked about.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from vault.article.page import Article, parse_article
from vault.article.splices import Edit, apply_edits
from vault.errors import VaultError
from vault.files import read_article
from vault.index.index import Index
from vault.links.known import read_page_names
from vault.links.resolve import Found, LinkResolver, page_key
from vault.links.scan import links_in
from vault.listing import list_vault
from vault.names import stem_of, title_of
from vault.search.stop_words import without_stop_words
from vault.search.terms import Analyser

ALIASES = ("alias", "aliases")
DESCRIPTIONS = ("description", "desc", "summary", "abstract")
_LEAST_WORDS = {"title": 1, "anchor": 1, "alias": 1, "heading": 2, "description": 3, "cloze": 4}
_SENTENCE_ENDS = "\n.!?。！？；"
_LONGEST = 300
_BLOCK_MARK = re.compile(r"\^[\w-]+$")
# What a search box takes for a wish rather than a word.
_SIGNS = re.compile(r"[\"“”„«»#:\-\[\]]")


@dataclass(frozen=True, slots=True)
class Question:
    """A text to search for, the page it asks for, and the page it is from, which is no answer."""

    kind: str
    text: str
    answer: str
    source: str = ""


@dataclass(slots=True)
class _Page:
    text: str
    article: Article
    edits: list[Edit] = field(default_factory=list)


_Offers = list[tuple[Question, tuple[Edit, ...]]]
"""Questions and what is taken out of the copy when they are asked."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions of one wiki and the texts of the copy that is to be searched."""

    questions: tuple[Question, ...]
    texts: Mapping[str, str]

    def indexed(self, root: Path) -> Index:
        """Write the copy to `root`, and its index beside that. Raises OSError."""
        for path, text in self.texts.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(text.encode("utf-8", "replace"))
        index = Index(root, root.with_name(f"{root.name}.sqlite"))
        index.refresh()
        return index


def ask(folder: Path, most: int, seed: int = 7) -> Asked:
    """Make at most `most` questions of each kind."""
    making = _Making(folder, most, random.Random(seed))
    making.make()
    texts = making.texts()
    return Asked(tuple(making.answerable(texts)), texts)


class _Making:
    def __init__(self, folder: Path, most: int, chance: random.Random) -> None:
        self._most = most
        self._chance = chance
        self._analyser = Analyser()
        self._pages = dict(_read(folder))
        self._names = {path: read_page_names(page.text) for path, page in self._pages.items()}
        self._resolver = LinkResolver(self._pages, lambda: self._names)
        self._taken: set[tuple[str, int]] = set()
        self.questions: list[Question] = []

    def make(self) -> None:
        for offered in (
            self._titles(),
            self._aliases(),
            self._descriptions(),
            self._headings(),
            self._anchors(),
            self._clozes(),
        ):
            left = self._most
            self._chance.shuffle(offered)
            for question, edits in offered:
                plain = replace(question, text=" ".join(_SIGNS.sub(" ", question.text).split()))
                if left and self._is_askable(plain) and self._is_free(plain, edits):
                    self.questions.append(plain)
                    left -= 1

    def answerable(self, texts: Mapping[str, str]) -> Iterator[Question]:
        """Those that share a word with their answer; no search by words can know the others."""
        for question in self.questions:
            words = without_stop_words(question.text.split())
            asked = set(self._analyser.keys(" ".join(words)))
            title = title_of(stem_of(question.answer))
            if asked & set(self._analyser.keys(f"{title} {texts[question.answer]}")):
                yield question

    def texts(self) -> dict[str, str]:
        return {path: apply_edits(page.text, page.edits) for path, page in self._pages.items()}

    def _is_askable(self, question: Question) -> bool:
        return len(self._analyser.terms(question.text)) >= _LEAST_WORDS[question.kind]

    def _is_free(self, question: Question, edits: tuple[Edit, ...]) -> bool:
        """Take the edits, unless another question has one of the places."""
        page = self._pages[question.source or question.answer]
        for edit in edits:
            if any(edit.start < other.end and other.start < edit.end for other in page.edits):
                return False
        page.edits += edits
        return True

    def _titles(self) -> _Offers:
        """Those that only one page has."""
        counts = Counter(page_key(stem_of(path)) for path in self._pages)
        return [
            (Question("title", title_of(stem_of(path)), path), ())
            for path in self._pages
            if counts[page_key(stem_of(path))] == 1
        ]

    def _aliases(self) -> _Offers:
        """All aliases go, asked for or not."""
        made: _Offers = []
        for path, page in self._pages.items():
            page.edits += _properties(page, ALIASES)
            own = {page_key(stem_of(path)), page_key(self._names[path].title or "")}
            for alias in self._names[path].aliases:
                if page_key(alias) not in own:
                    made.append((Question("alias", alias, path), ()))
        return made

    def _descriptions(self) -> _Offers:
        made: _Offers = []
        for path, page in self._pages.items():
            front = page.article.front_matter
            for key in DESCRIPTIONS if front else ():
                found = front.find(key) if front else None
                text = " ".join(found.texts) if found else ""
                if text:
                    edits = tuple(_properties(page, (key,)))
                    made.append((Question("description", text[:_LONGEST], path), edits))
        return made

    def _headings(self) -> _Offers:
        """Those that only one page has."""
        counts = Counter(
            each.title.casefold() for page in self._pages.values() for each in page.article.headings
        )
        made: _Offers = []
        for path, page in self._pages.items():
            offered = [
                each
                for each in page.article.headings
                if each.level > 1
                and not each.is_nested
                and counts[each.title.casefold()] == 1
                # With the mark of a block for a name nobody could know it.
                and not _BLOCK_MARK.search(each.title)
            ]
            if offered:
                heading = self._chance.choice(offered)
                edit = Edit(heading.start, heading.end, "\n")
                made.append((Question("heading", heading.title, path), (edit,)))
        return made

    def _anchors(self) -> _Offers:
        """Texts of links, without the words of the title they lead to."""
        made: _Offers = []
        for source, label, span, answer in self._links():
            text = self._without_title(label, answer)
            if text and page_key(label) != page_key(stem_of(answer)):
                edits = (Edit(*span, label),)
                made.append((Question("anchor", text, answer, source), edits))
        return made

    def _clozes(self) -> _Offers:
        """Sentences without the link they lead with."""
        made: _Offers = []
        for source, label, (start, end), answer in self._links():
            text = self._pages[source].text
            first = max(text.rfind(mark, 0, start) for mark in _SENTENCE_ENDS) + 1
            ends = [found for mark in _SENTENCE_ENDS if (found := text.find(mark, end)) >= 0]
            sentence = f"{text[first:start]} {text[end : min(ends, default=len(text))]}"
            sentence = sentence.replace("[[", " ").replace("]]", " ")
            edits = (Edit(start, end, label),)
            made.append((Question("cloze", sentence[:_LONGEST].strip(), answer, source), edits))
        return made

    def _links(self) -> Iterator[tuple[str, str, tuple[int, int], str]]:
        """Source, label, place and answer of each link in the prose to another page."""
        for source, page in self._pages.items():
            for link in links_in(page.article.layout, page.article.prose):
                found = self._resolver.resolve(link, source)
                is_prose = link.form in {"wikilink", "markdown"} and not link.is_embed
                if is_prose and isinstance(found, Found) and found.path != source:
                    label = link.label or link.target
                    yield source, label, (link.start, link.end), found.path

    def _without_title(self, label: str, path: str) -> str:
        title = title_of(stem_of(path))
        known = {term.token for term in self._analyser.terms(title)}
        left = re.sub(re.escape(title), " ", label, flags=re.IGNORECASE).split()
        return " ".join(
            word
            for word in left
            if not {term.token for term in self._analyser.terms(word)} <= known
        )


def _read(folder: Path) -> Iterator[tuple[str, _Page]]:
    for note in list_vault(folder).notes:
        try:
            text = read_article(folder, note.path).text
        except VaultError:
            continue
        if text is not None:
            yield note.path, _Page(text, parse_article(text))


def _properties(page: _Page, keys: Iterable[str]) -> list[Edit]:
    front = page.article.front_matter
    return [
        Edit(each.start, each.end, "")
        for each in (front.properties if front else ())
        if each.key.casefold() in keys
    ]
