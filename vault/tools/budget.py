"""How many bytes of UTF-8 the tools may say: a little at once, and in one turn of a chat."""

MOST_A_READ = 2048
MOST_A_TURN = 8192
LEAST_USEFUL = 300


class Budget:
    """Counts what was said; whoever calls the tools resets it for each turn."""

    def __init__(self, most_a_turn: int = MOST_A_TURN, most_a_read: int = MOST_A_READ) -> None:
        self._most_a_turn = most_a_turn
        self.most_a_read = most_a_read
        self._left = most_a_turn

    @property
    def left(self) -> int:
        """The bytes left in this turn."""
        return self._left

    @property
    def room(self) -> int:
        """The bytes that one result may have now."""
        return min(self._left, self.most_a_read)

    @property
    def is_used_up(self) -> bool:
        """Whether what is left is too little for an answer."""
        return self._left < LEAST_USEFUL

    def reset(self, most: int | None = None) -> None:
        """A new turn begins, which may have `most` where that is less than usual."""
        self._left = self._most_a_turn if most is None else min(most, self._most_a_turn)

    def spend(self, size: int) -> None:
        """So many bytes were said."""
        self._left = max(0, self._left - size)
