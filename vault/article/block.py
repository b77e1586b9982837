"""What a block of a page is."""

from enum import Enum, auto
from typing import NamedTuple


class BlockKind(Enum):
    """What a block is."""

    HEADING = auto()
    PARAGRAPH = auto()
    FENCE = auto()
    INDENTED_CODE = auto()
    HTML = auto()
    RULE = auto()
    QUOTE = auto()
    LIST = auto()


class Block(NamedTuple):
    """One block: its lines are `first` up to and not including `end`.

    `depth` is 0 outside quotes and lists. `level` is that of a heading. `content` is the source
    of a heading, the info string of a fence or the first line of HTML; `marks` is what a fence
    was opened with. A tuple, since a wiki has very many and those are made in less time.
    """

    kind: BlockKind
    first: int
    end: int
    depth: int
    level: int = 0
    content: str = ""
    marks: str = ""
