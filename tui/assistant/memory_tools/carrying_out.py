"""Carries out the calls at the end of an answer, one after the other; each result is stored."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from tui.assistant.events import Answered, ToolAnswered
from tui.assistant.stopping import Stop

if TYPE_CHECKING:
    from tui.assistant.memory_tools.look_ups import LookUps
    from tui.assistant.turn import Turn


async def carried_out(
    turn: Turn, look_ups: LookUps, stop: Stop
) -> AsyncGenerator[ToolAnswered | Answered, None]:
    """Until a stop is wanted. Raises ConversationError."""
    collected = turn.collected
    if collected is None:
        return
    await turn.keep_calls()
    for call in collected.calls:
        work = look_ups.look(call, collected.malformed.get(call.id, ""))
        looked = await stop.unless_wanted(work)
        if looked is None:
            turn.stop()
            yield Answered("cancelled", collected.spent)
            return
        await turn.keep_result(call, looked)
        yield ToolAnswered(call.id, looked.text, looked.is_error, looked.seconds)
