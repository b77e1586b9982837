"""`zib models list`: every model on this machine and whether it fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from engine.models.entry import ModelEntry, Purpose, Source
from engine.plan.contract import MemoryPlan
from tui.screens.models.wording import parameters_label, verdict_badge
from tui.text.line import to_line
from tui.widgets.gauge.units import format_bytes, format_tokens

_COLUMNS_WITH_LICENCE = 110
_NO_PICTURES = "* Made for pictures too, which cannot be given to it yet."


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model and its plan; None where it cannot be loaded or is not fetched yet."""

    entry: ModelEntry
    plan: MemoryPlan | None


class ModelRow(msgspec.Struct, frozen=True):
    """One model in the JSON document of `zib models list --json`."""

    name: str
    folder: str
    source: Source
    bytes_on_disk: int
    parameters: int
    quantization: str
    context_window: int
    architecture: str
    capabilities: list[str]
    licence: str
    purpose: Purpose
    problem: str
    plan: MemoryPlan | None


class ModelRows(msgspec.Struct, frozen=True):
    """The whole document."""

    models: list[ModelRow]


def is_here(entry: ModelEntry) -> bool:
    """Whether it could be loaded now."""
    return not entry.problem and entry.bytes_on_disk > 0


def to_json(models: Sequence[ListedModel]) -> bytes:
    """Names that are no Unicode text lose what is none."""
    return msgspec.json.encode(ModelRows([_row(model.entry, model.plan) for model in models]))


def print_table(models: Sequence[ListedModel], console: Console) -> None:
    """The table, then in sentences what is wrong with those that cannot be loaded."""
    has_licence = console.width >= _COLUMNS_WITH_LICENCE
    table = Table(box=None, pad_edge=False)
    table.add_column(Text("model"), overflow="fold", min_width=16)
    table.add_column(Text("on disk"), justify="right", no_wrap=True)
    table.add_column(Text("size"), justify="right", no_wrap=True)
    table.add_column(Text("weights"), overflow="fold")
    table.add_column(Text("context"), justify="right", no_wrap=True)
    table.add_column(Text("can"), overflow="fold")
    if has_licence:
        table.add_column(Text("licence"), overflow="fold")
    table.add_column(Text("memory"), no_wrap=True)
    for model in models:
        cells = _cells(model)
        shown = cells if has_licence else (*cells[:6], cells[7])
        table.add_row(*(Text(to_line(cell) if cell else "") for cell in shown))
    console.print(table)
    if any("vision" in model.entry.capabilities for model in models):
        console.print(Text(_NO_PICTURES))
    for model in models:
        if model.entry.problem:
            sentence = f"{to_line(model.entry.name)}: {to_line(model.entry.problem)}"
            console.print(Text(sentence), soft_wrap=True)


def _cells(model: ListedModel) -> tuple[str, ...]:
    entry = model.entry
    return (
        entry.name,
        format_bytes(entry.bytes_on_disk) if entry.bytes_on_disk else "–",
        parameters_label(entry.parameters),
        entry.quantization,
        _context(model),
        _abilities(entry),
        entry.licence,
        _memory(model),
    )


def _context(model: ListedModel) -> str:
    """What is safe here of what the model was made for."""
    window = model.entry.context_window
    shown = format_tokens(window) if window else "?"
    if model.plan is None or model.plan.max_safe_context >= window:
        return shown
    return f"{format_tokens(model.plan.max_safe_context)} of {shown}"


def _abilities(entry: ModelEntry) -> str:
    words = [f"{word}*" if word == "vision" else word for word in sorted(entry.capabilities)]
    match entry.purpose:
        case "chat":
            pass
        case "text":
            words.insert(0, "no chat")
        case "embedding" | "reranker":
            words.insert(0, entry.purpose)
        case never:
            assert_never(never)
    return ", ".join(words)


def _memory(model: ListedModel) -> str:
    if model.entry.problem:
        return "broken"
    if not is_here(model.entry):
        return "not fetched yet"
    return verdict_badge(model.plan.verdict) if model.plan else "?"


def _row(entry: ModelEntry, plan: MemoryPlan | None) -> ModelRow:
    return ModelRow(
        name=_unicode(entry.name),
        folder=_unicode(str(entry.folder)),
        source=entry.source,
        bytes_on_disk=entry.bytes_on_disk,
        parameters=entry.parameters,
        quantization=_unicode(entry.quantization),
        context_window=entry.context_window,
        architecture=_unicode(entry.architecture),
        capabilities=sorted(entry.capabilities),
        licence=_unicode(entry.licence),
        purpose=entry.purpose,
        problem=_unicode(entry.problem),
        plan=plan,
    )


def _unicode(text: str) -> str:
    return text.encode(errors="replace").decode()
