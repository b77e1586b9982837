"""What is asked before something costly or risky is done with a model."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Literal

from textual.app import App

from engine.plan.contract import MemoryPlan
from tui.models.shelf import Offer
from tui.models.supply import Supply
from tui.screens.models.rows import home_relative
from tui.screens.models.wording import kv_label, usage_line
from tui.screens.question import Choice, QuestionScreen
from tui.widgets.gauge.units import format_bytes

CANCEL = Choice("cancel", "Cancel")
ANOTHER = Choice("another", "Choose another", "primary")
ANYWAY = Choice("anyway", "Load anyway", "warning")
DOWNLOAD = Choice("download", "Download", "primary")
STOP_DOWNLOAD = Choice("stop", "Stop it", "warning")
GO_ON = Choice("go-on", "Go on", "primary")
WAIT = Choice("wait", "Switch after it", "primary")
STOP_ANSWER = Choice("stop", "Stop it and switch", "warning")

Interruption = Literal["wait", "stop", "cancel"]
Risk = Literal["anyway", "another", "cancel"]


async def what_about_the_answer(app: App[None]) -> Interruption:
    """What becomes of the answer under way. Call from a worker."""
    question = QuestionScreen("An answer is being written.", (WAIT, STOP_ANSWER, CANCEL))
    match await app.push_screen_wait(question):
        case "wait":
            return "wait"
        case "stop":
            return "stop"
        case _:
            return "cancel"


async def what_about_the_size(app: App[None], text: str) -> Risk:
    """Whether to load a model that does not fit. Call from a worker."""
    question = QuestionScreen(text, (ANOTHER, ANYWAY, CANCEL))
    match await app.push_screen_wait(question):
        case "anyway":
            return "anyway"
        case "another":
            return "another"
        case _:
            return "cancel"


def too_big_text(name: str, plan: MemoryPlan) -> str:
    """The numbers of a model that does not fit."""
    parts = (
        ("weights", plan.weights_bytes),
        (f"KV cache, {kv_label(plan.kv_bits)}", plan.kv_bytes),
        ("at work", plan.transient_bytes),
        ("reserve", plan.reserve_bytes),
    )
    bill = "\n".join(f"{label}: {format_bytes(count)}" for label, count in parts)
    need = f"needs {usage_line(plan)} for {plan.context_tokens:,} tokens"
    lead = f"{name} {need}." if plan.total_bytes else f"{name} cannot be planned."
    end = "Loaded anyway, the engine may be stopped by the system; the chat is kept."
    return "\n\n".join(part for part in (lead, bill, "\n".join(plan.reasons), end) if part)


async def ask_about_download(app: App[None], supply: Supply, offer: Offer) -> None:
    """Start a download, or stop the one under way, if the user agrees. Call from a worker."""
    downloads = supply.downloads
    if downloads.progress(offer.repository) is None:
        if await _may_download(app, offer, supply.shop.places.hub_cache):
            downloads.start(offer.repository)
    elif await _may_stop_download(app, offer):
        downloads.stop(offer.repository)


async def _may_download(app: App[None], offer: Offer, models_dir: Path) -> bool:
    """Whether to download this model. Call from a worker."""
    text = (
        f"Download {offer.repository}?\n\n{format_bytes(offer.bytes)}, licence {offer.licence}.\n"
        f"{_room_line(models_dir)}"
    )
    return await app.push_screen_wait(QuestionScreen(text, (DOWNLOAD, CANCEL))) == DOWNLOAD.id


async def _may_stop_download(app: App[None], offer: Offer) -> bool:
    """Whether to stop a download. Call from a worker."""
    text = f"Stop the download of {offer.repository}? What is here already is kept."
    return await app.push_screen_wait(QuestionScreen(text, (GO_ON, STOP_DOWNLOAD))) == (
        STOP_DOWNLOAD.id
    )


def _room_line(folder: Path) -> str:
    place = folder
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        return f"{format_bytes(shutil.disk_usage(place).free)} are free in {home_relative(folder)}."
    except OSError:
        return f"It goes into {home_relative(folder)}."
