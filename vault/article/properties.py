"""One property of the front matter."""

from dataclasses import dataclass
from enum import Enum, auto

from vault.article.scalars import Scalar


class Style(Enum):
    """How the value of a property is written."""

    SCALAR = auto()
    FLOW_LIST = auto()
    BLOCK_LIST = auto()
    NESTED = auto()  # a mapping or a deeper list; its values are not read


@dataclass(frozen=True, slots=True)
class Property:
    """One property. Its lines take the characters from `start` to `end`, breaks included.

    `value_start` is behind the colon. A value that is not there has no entry in `values`.
    """

    key: str
    values: tuple[Scalar, ...]
    style: Style
    start: int
    value_start: int
    end: int

    @property
    def texts(self) -> tuple[str, ...]:
        """The values as strings."""
        return tuple(value.text for value in self.values)
