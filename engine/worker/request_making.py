"""Makes of a request to answer what a row is made of."""

from __future__ import annotations

from engine.protocol import Generate
from engine.serving.checks import check_request, room_for_answer
from engine.worker.answering import Answering
from engine.worker.loaded_model import LoadedModel
from engine.worker.prompt import check_ids
from engine.worker.row import Request
from engine.worker.text_stream import TextStream
from engine.worker.tool_calls import reader_for


def make_request(command: Generate, loaded: LoadedModel, answering: Answering) -> Request:
    """Check the request and write its prompt. Raises Refused."""
    check_request(command)
    limit = loaded.info.context_limit
    kept = answering.kept
    encoded = loaded.turns.write(command.messages, command.thinking, command.tools)
    prompt = kept.respell(command.conversation, encoded)
    check_ids(prompt, loaded.trial.vocabulary_size)
    room = room_for_answer(len(prompt), command.max_tokens, limit, loaded.info.context_window)
    return Request(
        command=command,
        prompt=tuple(prompt),
        claim=answering.claim(len(prompt), room, command.max_tokens is None),
        sampler=answering.sampling.sampler(command),
        text=TextStream(
            loaded.markup if command.grammar is None else loaded.markup.for_form(),
            command.stop,
            loaded.markup.opening(loaded.tokenizer, prompt),
            reader_for(command, loaded.markup.tools, prompt),
        ),
        window=limit,
        processors=answering.sampling.processors(command),
        checkpoints=kept.checkpoints(command, prompt, room),
        constraint=answering.structured.constraint(command, prompt),
    )
