"""Which model the window starts with, what it remembers, and how models are listed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from engine.errors import ModelUnavailable
from engine.models.builtin_source import FetchProgress
from engine.models.entry import ModelEntry
from engine.models.places import ModelPlaces
from engine.plan.contract import MemoryPlan, PlanOptions
from engine.script import ScriptedModel
from engine.script_plan import plan_scripted
from engine.wanted_model import ModelChoice
from tests.tui.conftest import notices, screen_text, scripted_wiring, wait_until
from tests.tui.scripted_models import write_scripted_model
from tui.app import ZibApp
from tui.models.adapters import adapter_problem, find_adapters
from tui.models.downloads import Downloads, Ended
from tui.models.naming import model_name
from tui.models.offers import offers_within
from tui.models.remembered import remember_model, remembered_model
from tui.models.shelf import Offer, Shelf, sections
from tui.models.startup import Startup
from tui.screens.models.picker import ModelPicker
from tui.screens.models.what_if import context_options

GIB = 1024**3


def plan_by_size(folder: Path, options: PlanOptions) -> MemoryPlan:
    wishes = msgspec.json.decode((folder / "config.json").read_bytes(), type=ScriptedModel)
    return plan_scripted(wishes, options, 16 * GIB, None)


def startup_in(home: Path, model: str = "", adapter: str = "", draft: str = "") -> Startup:
    """Looks only below `home`, where the built-in model is in place already."""
    models = home / "models"
    builtin = models / "SmolLM2"
    places = ModelPlaces(models, home / "hub", (), builtin)
    return Startup(model, adapter, places, home / "state" / "last-model", plan_by_size, draft)


def choose(startup: Startup) -> ModelChoice:
    return startup._choose()


@pytest.fixture
def stocked(tmp_path: Path) -> Path:
    for name, gibibytes in (("small", 2), ("large", 8), ("huge", 12)):
        write_scripted_model(
            tmp_path / "models" / name,
            weights_bytes=gibibytes * GIB,
            padding="x" * gibibytes,
        )
    return tmp_path


def test_the_largest_that_leaves_room_is_chosen(stocked: Path) -> None:
    assert choose(startup_in(stocked)) == ModelChoice(str(stocked / "models" / "large"))


def test_the_setting_wins_over_what_was_chosen_last(stocked: Path) -> None:
    small, huge = stocked / "models" / "small", stocked / "models" / "huge"
    remember_model(stocked / "state" / "last-model", ModelChoice(str(small), "/some/lora"))
    assert choose(startup_in(stocked)) == ModelChoice(str(small), "/some/lora")
    assert choose(startup_in(stocked, adapter="/set")) == ModelChoice(str(small), "/set")
    assert choose(startup_in(stocked, "hug")) == ModelChoice(str(huge))
    assert choose(startup_in(stocked, str(huge), "/set")) == ModelChoice(str(huge), "/set")


def test_the_draft_model_goes_with_the_model_the_program_starts_with(stocked: Path) -> None:
    small, huge = (str(stocked / "models" / name) for name in ("small", "huge"))
    chosen = choose(startup_in(stocked, "hug", draft="smal"))
    assert chosen == ModelChoice(huge, draft=small)
    remember_model(stocked / "state" / "last-model", chosen)
    assert choose(startup_in(stocked)) == ModelChoice(huge)
    assert choose(startup_in(stocked, draft=small)) == replace(chosen, is_draft_optional=True)
    with pytest.raises(ModelUnavailable, match=r"engine\.draft_model.*nothere"):
        choose(startup_in(stocked, "hug", draft="nothere"))


def test_the_draft_model_goes_along_with_another_model_if_it_can() -> None:
    chosen = ModelChoice("/large", draft="/small")
    again = ModelChoice("/large", "/lora").with_draft_of(chosen)
    assert again == ModelChoice("/large", "/lora", "/small")
    other = ModelChoice("/other").with_draft_of(chosen)
    assert other == ModelChoice("/other", draft="/small", is_draft_optional=True)
    assert ModelChoice("/large").with_draft_of(other).is_draft_optional
    assert ModelChoice("/other").with_draft_of(None) == ModelChoice("/other")
    assert ModelChoice("/other").with_draft_of(ModelChoice("/large")) == ModelChoice("/other")


def test_what_is_gone_is_not_remembered(stocked: Path) -> None:
    gone = stocked / "models" / "gone"
    remember_model(stocked / "state" / "last-model", ModelChoice(str(gone)))
    assert choose(startup_in(stocked)).path == str(stocked / "models" / "large")


def test_without_any_model_the_built_in_one_is_left(tmp_path: Path) -> None:
    assert choose(startup_in(tmp_path)).path == str(tmp_path / "models" / "SmolLM2")


@pytest.mark.parametrize("wanted", ["l", "nothing", "/no/such/folder", "a\0b", "[/x]\x1b"])
def test_a_setting_that_means_no_model_is_a_sentence(stocked: Path, wanted: str) -> None:
    with pytest.raises(ModelUnavailable) as caught:
        choose(startup_in(stocked, wanted))
    assert str(caught.value).endswith((".", "`"))


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[1]", b"\xff", b'{"path": 3}', b'{"path": "a\\u0000b"}', b"x" * 99]
)
def test_a_damaged_memory_is_no_memory(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "last-model"
    file.write_bytes(content)
    assert remembered_model(file) is None


def test_a_choice_is_kept_exactly_and_load_anyway_is_not(stocked: Path) -> None:
    file = stocked / "state" / "last-model"
    folder = write_scripted_model(stocked / "odd \u202e[/x]\x1b")
    remember_model(file, ModelChoice(str(folder), "/ad apter", is_forced=True))
    assert remembered_model(file) == ModelChoice(str(folder), "/ad apter")
    assert [entry.name for entry in file.parent.iterdir()] == ["last-model"]


def test_a_state_folder_that_cannot_be_written_is_no_failure(stocked: Path) -> None:
    (stocked / "file").write_text("in the way")
    remember_model(stocked / "file" / "last-model", ModelChoice("/x"))
    assert remembered_model(stocked / "file" / "last-model") is None


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/m/Qwen3-4B", "Qwen3-4B"),
        ("/c/models--org--Qwen3--4B/snapshots/abc", "org/Qwen3/4B"),
        ("/", "/"),
        ("", ""),
    ],
)
def test_what_a_folder_is_called(path: str, name: str) -> None:
    assert model_name(path) == name


@pytest.mark.parametrize(
    ("window", "lengths"),
    [
        (0, [1024 << n for n in range(11)]),
        (512, [512]),
        (1024, [1024]),
        (8192, [1024, 2048, 4096, 8192]),
        (40960, [1024, 2048, 4096, 8192, 16384, 32768, 40960]),
        (1 << 39, [*(1024 << n for n in range(11)), 1 << 39]),
    ],
)
def test_context_lengths_to_try(window: int, lengths: list[int]) -> None:
    assert [value for _, value in context_options(window)] == [None, *lengths]


def entry(name: str, quantization: str = "", problem: str = "") -> ModelEntry:
    return ModelEntry(
        name, Path("/m") / name, "models-folder", quantization=quantization, problem=problem
    )


OFFER = Offer("org/Good-4bit", GIB, "mit", "to chat", "16 GiB")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", ["Alpha", "beta", "Demo", "org/Good-4bit", "half"]),
        ("A", ["Alpha", "beta", "half"]),
        ("4bit mit", ["org/Good-4bit"]),
        ("beta 8-bit", ["beta"]),
        ("demo", ["Demo"]),
        ("[/x]", []),
    ],
)
def test_filtering(words: str, expected: list[str]) -> None:
    demo = ModelEntry("Demo", Path("/demo"), "builtin")
    shelf = Shelf(
        (demo, entry("beta", quantization="8-bit"), entry("half", problem="No."), entry("Alpha")),
        (OFFER,),
    )
    names = [item.name for _, items in sections(shelf, words) for item in items]
    assert names == expected


def test_an_unfinished_offer_is_shown_once() -> None:
    shelf = Shelf((entry("org/Good-4bit", problem="Its download is unfinished."),), (OFFER,))
    assert [list(items) for _, items in sections(shelf, "")] == [[OFFER]]


@pytest.mark.parametrize("gibibytes", [1, 8, 16, 40, 500])
def test_each_recommended_model_is_offered_once(gibibytes: int) -> None:
    offers = offers_within(gibibytes * GIB)(())
    names = [offer.repository for offer in offers]
    assert len(set(names)) == len(names) > 0
    assert all(offer.bytes > 0 and offer.licence for offer in offers)
    here = ModelEntry(names[0], Path("/x"), "hub")
    assert names[0] not in [offer.repository for offer in offers_within(gibibytes * GIB)((here,))]


def test_adapter_folders(tmp_path: Path) -> None:
    good, half = tmp_path / "b", tmp_path / "a"
    for folder in (good, half):
        folder.mkdir()
        (folder / "adapter_config.json").write_text("{}")
    (good / "adapters.safetensors").write_bytes(b"")
    assert find_adapters(tmp_path) == (good,)
    assert find_adapters(tmp_path / "none") == ()
    assert "adapters.safetensors" in adapter_problem(half)
    assert adapter_problem(good) == ""
    assert adapter_problem(Path("\0"))
    assert adapter_problem(Path("x" * 5000))


async def test_one_download_a_repository(tmp_path: Path) -> None:
    heard: list[FetchProgress | Ended] = []
    calls = 0
    go_on = asyncio.Event()

    async def fetch(_: str, report: Callable[[FetchProgress], None]) -> Path:
        nonlocal calls
        calls += 1
        report(FetchProgress("downloading", 1, 2))
        await go_on.wait()
        return tmp_path

    downloads = Downloads(fetch, lambda _, news: heard.append(news))
    downloads.start("a/b")
    downloads.start("a/b")
    await asyncio.sleep(0)
    assert calls == 1
    assert downloads.progress("a/b") == FetchProgress("downloading", 1, 2)
    downloads.stop("a/b")
    downloads.stop("no/such")
    await downloads.close()
    assert downloads.progress("a/b") is None
    downloads.start("a/b")
    go_on.set()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert heard == [
        FetchProgress("downloading", 1, 2),
        Ended(),
        FetchProgress("downloading", 1, 2),
        Ended(tmp_path),
    ]


def starting_app(home: Path, model: str) -> ZibApp:
    """An app that looks for its model as the real one does."""
    wiring = scripted_wiring(home, (), home / "wiki", {"model": model}, startup_in(home, model))
    for folder in (home / "models").iterdir():
        (home / "data" / "models").mkdir(parents=True, exist_ok=True)
        (home / "data" / "models" / folder.name).symlink_to(folder)
    return ZibApp(wiring)


async def test_an_unclear_setting_opens_the_picker_at_the_start(stocked: Path) -> None:
    app = starting_app(stocked, "l")
    async with app.run_test(size=(130, 40), notifications=True) as pilot:
        await wait_until(pilot, lambda: isinstance(app.screen, ModelPicker), "the picker")
        await wait_until(pilot, lambda: "'l' may mean large, small" in screen_text(pilot), "why")
        await wait_until(pilot, lambda: "large" in screen_text(pilot), "the candidates")
        assert "huge" not in screen_text(pilot)
        await pilot.press("escape")
        await wait_until(pilot, lambda: "No model is chosen" in notices(pilot), "what to do")


async def test_nothing_opens_over_somebody_who_types(stocked: Path) -> None:
    app = starting_app(stocked, "l")
    async with app.run_test(size=(130, 40), notifications=True) as pilot:
        await pilot.press(*"typing")
        await wait_until(pilot, lambda: "may mean large, small" in notices(pilot), "the sentence")
        assert not isinstance(app.screen, ModelPicker)
