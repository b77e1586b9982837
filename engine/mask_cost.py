"""What is asked of `engine.worker.mask_cost` and what it answers, as JSON."""

import msgspec


class MaskTask(msgspec.Struct, frozen=True):
    """An answer of `tokens` to a question, held to a JSON schema, said again `rounds` times."""

    question: str
    schema: str
    tokens: int
    rounds: int


class MaskTurn(msgspec.Struct, frozen=True):
    """Seconds of the same steps with the form and without; `mask_seconds` went into masks."""

    steps: int
    held_seconds: float
    free_seconds: float
    mask_seconds: float


class MaskCost(msgspec.Struct, frozen=True):
    """What was measured: the turns of each round."""

    compute: str
    rounds: tuple[tuple[MaskTurn, ...], ...]
