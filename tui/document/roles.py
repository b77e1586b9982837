"""What a piece of a page is, for the eye; the theme decides how each looks."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """A way to look. The value is the end of the component class `document--VALUE`."""

    TITLE = "title"
    HEADING_2 = "heading-2"
    HEADING_3 = "heading-3"
    HEADING_4 = "heading-4"
    HEADING_5 = "heading-5"
    HEADING_6 = "heading-6"
    RULE = "rule"
    QUIET = "quiet"
    STRONG = "strong"
    EMPHASIS = "emphasis"
    STRUCK = "struck"
    MARKED = "marked"
    TAG = "tag"
    CODE = "code"
    MATH = "math"
    LINK = "link"
    WANTED = "wanted"
    AMBIGUOUS = "ambiguous"
    EXTERNAL = "external"
    NOTE = "note"
    BULLET = "bullet"
    TASK = "task"
    DONE = "done"
    QUOTE_BAR = "quote-bar"
    CALLOUT_NOTE = "callout-note"
    CALLOUT_TIP = "callout-tip"
    CALLOUT_WARNING = "callout-warning"
    CALLOUT_DANGER = "callout-danger"
    CALLOUT_OTHER = "callout-other"
    TABLE_HEAD = "table-head"
    FACT_KEY = "fact-key"
    BOX = "box"
    CODE_BLOCK = "code-block"
    CODE_COMMENT = "code-comment"
    CODE_KEYWORD = "code-keyword"
    CODE_STRING = "code-string"
    CODE_NUMBER = "code-number"
    CODE_NAME = "code-name"
    CODE_FUNCTION = "code-function"
    CODE_ERROR = "code-error"
    FOCUSED = "focused"
    FOUND = "found"
    FOUND_HERE = "found-here"
    HINT = "hint"


Roles = tuple[Role, ...]

HEADING_ROLES = (
    Role.TITLE,
    Role.HEADING_2,
    Role.HEADING_3,
    Role.HEADING_4,
    Role.HEADING_5,
    Role.HEADING_6,
)
