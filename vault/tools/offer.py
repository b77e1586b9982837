"""The memory tools as they are offered to a model."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SEARCH = "memory_search"
READ = "memory_read"
TOC = "memory_toc"
SECTION = "memory_section"
LINKS = "memory_links"
LIST = "memory_list"
STATUS = "memory_status"

MOST_HITS = 30
_PAGE = {"type": "string", "description": "The page's title, alias or path."}


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool; `parameters` is the JSON schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]


def _tool(name: str, description: str, **properties: Mapping[str, Any]) -> Tool:
    required = [key for key, schema in properties.items() if "default" not in schema]
    parameters = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    return Tool(name, description, parameters)


MEMORY_TOOLS: tuple[Tool, ...] = (
    _tool(
        SEARCH,
        "Find pages of the user's own wiki that say something. Gives titles, dates and short"
        " passages; read on with memory_read or memory_section.",
        query={
            "type": "string",
            "description": 'Words to look for; "a phrase" in quotes, -word to leave out.',
        },
        limit={
            "type": "integer",
            "minimum": 1,
            "maximum": MOST_HITS,
            "default": 8,
            "description": "The most pages.",
        },
        scope={
            "type": "string",
            "enum": ["memory", "reference"],
            "default": "memory",
            "description": "reference: only the help pages of this program.",
        },
    ),
    _tool(
        READ,
        "Read a page of the wiki. A long one gives its first paragraph and its sections.",
        page=_PAGE,
        force={
            "type": "boolean",
            "default": False,
            "description": "All of a long page, if it has room.",
        },
    ),
    _tool(TOC, "The sections of a page with their sizes.", page=_PAGE),
    _tool(
        SECTION,
        "Read one section of a page with what is below it; a long one comes in parts.",
        page=_PAGE,
        heading={
            "type": "string",
            "default": "",
            "description": "The section's heading or anchor; empty for the whole page.",
        },
        part={
            "type": "integer",
            "minimum": 1,
            "default": 1,
            "description": "Which part of a long section.",
        },
    ),
    _tool(LINKS, "The pages that a page links to, and those that link to it.", page=_PAGE),
    _tool(
        LIST,
        "The pages of the wiki by title: all, or those of a folder, a category or a tag.",
        folder={"type": "string", "default": "", "description": "Such as articles."},
        category={"type": "string", "default": "", "description": "A category's name."},
        tag={"type": "string", "default": "", "description": "A tag's name."},
        start={
            "type": "integer",
            "minimum": 1,
            "default": 1,
            "description": "The number of the first one, to go on with a long list.",
        },
    ),
    _tool(STATUS, "What the wiki has: how many pages, and its folders, categories and tags."),
)
