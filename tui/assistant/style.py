"""How the model is asked to answer: the user's settings, and what a chat has of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec

from engine.protocol import Sampling
from tui.assistant.sampling_choice import kept_sampling
from vault.conversations.values import ChatOptions

_DEFAULT_SAMPLING = Sampling()


@dataclass(frozen=True, slots=True)
class AnswerStyle:
    """How to answer: the user's chat settings."""

    system_prompt: str = ""
    sampling: Sampling = _DEFAULT_SAMPLING
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()

    def of_chat(self, options: ChatOptions) -> AnswerStyle:
        """The style of a chat that has options of its own."""
        style = self
        if options.system_prompt:
            style = replace(style, system_prompt=options.system_prompt)
        values = dict(kept_sampling(options.sampling).values)
        if "max_tokens" in values:
            style = replace(style, max_tokens=values.pop("max_tokens"))  # type: ignore[arg-type]  # as checked
        if "stop" in values:
            style = replace(style, stop=values.pop("stop"))  # type: ignore[arg-type]  # as checked
        return replace(style, sampling=msgspec.structs.replace(style.sampling, **values))
