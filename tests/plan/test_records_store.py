"""The folder of records: what is kept, refused, damaged, and written by two processes at once."""

import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.plan.record_key import RecordKey, file_name, key_of_folder
from engine.plan.records import PeakFact, ProbeFacts, Record, Records, RunFacts
from engine.plan.run_record import is_believable, with_run

KEY = RecordKey("SmolLM2", "0123", 538_060_032, "openblas-shim")
RUN = RunFacts(
    context_tokens=300,
    decode_tps=20.0,
    decoded_tokens=64,
    prefill_tps=200.0,
    prefilled_tokens=128,
    measured_peak_bytes=900,
    predicted_peak_bytes=1000,
)


class Reports(list[str]):
    """Collects what a store reports."""


@pytest.fixture
def reports() -> Reports:
    return Reports()


@pytest.fixture
def records(tmp_path: Path, reports: Reports) -> Records:
    return Records(tmp_path / "records", reports.append)


def test_nothing_is_known_at_first_and_asking_writes_nothing(
    records: Records, reports: Reports, tmp_path: Path
) -> None:
    assert records.find(KEY) is None
    assert list(tmp_path.iterdir()) == []
    assert reports == []


def test_a_run_is_found_again_by_another_process(records: Records, tmp_path: Path) -> None:
    noted = records.note_run(KEY, RUN)
    found = Records(tmp_path / "records").find(KEY)
    assert found == noted
    assert found is not None
    assert (found.runs, found.decode_tps, found.best_decode_tps) == (1, 20.0, 20.0)
    assert (found.decode_context_tokens, found.prefill_tps) == (300.0, 200.0)
    assert found.last_peak == PeakFact(1000, 900, 300)


@pytest.mark.parametrize(
    "other",
    [
        replace(KEY, name="Other"),
        replace(KEY, config_hash="4567"),
        replace(KEY, weights_bytes=1),
        replace(KEY, compute="reference"),
        replace(KEY, kv_scheme="4-bit"),
        replace(KEY, adapter="/a"),
    ],
)
def test_every_part_of_a_key_keeps_records_apart(records: Records, other: RecordKey) -> None:
    records.note_run(KEY, RUN)
    assert records.find(other) is None
    records.note_run(other, replace(RUN, decode_tps=5.0))
    first = records.find(KEY)
    assert first is not None
    assert first.decode_tps == 20.0


def test_averages_move_a_quarter_and_the_best_stays() -> None:
    record = with_run(with_run(Record(KEY), RUN), replace(RUN, decode_tps=40.0, context_tokens=700))
    record = with_run(record, replace(RUN, decode_tps=5.0, prefill_tps=100.0, context_tokens=400))
    assert record.decode_tps == 25.0 + 0.25 * (5.0 - 25.0)
    assert record.decode_context_tokens == 400.0
    assert record.best_decode_tps == 40.0
    assert record.prefill_tps == 175.0
    assert record.best_prefill_tps == 200.0
    assert record.runs == 3


def test_short_answers_and_reused_prompts_say_nothing_about_speed() -> None:
    record = with_run(Record(KEY), replace(RUN, decoded_tokens=15, prefilled_tokens=63))
    assert (record.runs, record.decode_tps, record.prefill_tps) == (1, 0.0, 0.0)
    record = with_run(record, replace(RUN, decode_tps=0.0, prefill_tps=0.0))
    assert (record.runs, record.decode_tps, record.prefill_tps) == (2, 0.0, 0.0)
    assert with_run(record, RUN).decode_tps == 20.0


def test_last_worst_and_highest_peak_are_kept() -> None:
    record = Record(KEY)
    for predicted, measured in ((1000, 900), (100, 99), (2000, 1500), (1000, 500)):
        facts = replace(RUN, predicted_peak_bytes=predicted, measured_peak_bytes=measured)
        record = with_run(record, facts)
    assert record.last_peak == PeakFact(1000, 500, 300)
    assert record.worst_peak == PeakFact(100, 99, 300)
    assert record.highest_peak == PeakFact(2000, 1500, 300)
    unmeasured = with_run(record, replace(RUN, predicted_peak_bytes=0))
    assert unmeasured.last_peak == record.last_peak


def test_a_probe_replaces_the_one_before_and_keeps_the_runs(records: Records) -> None:
    records.note_run(KEY, RUN)
    records.note_probe(KEY, ProbeFacts(46_080, 5_000_000))
    records.note_probe(KEY, ProbeFacts(46_081, 5_000_001))
    found = records.find(KEY)
    assert found is not None
    assert found.probe == ProbeFacts(46_081, 5_000_001)
    assert found.runs == 1


@pytest.mark.parametrize(
    "facts",
    [
        replace(RUN, decode_tps=math.inf),
        replace(RUN, decode_tps=math.nan),
        replace(RUN, decode_tps=-1.0),
        replace(RUN, decode_tps=1e8),
        replace(RUN, prefill_tps=math.nan),
        replace(RUN, context_tokens=-1),
        replace(RUN, context_tokens=1 << 41),
        replace(RUN, measured_peak_bytes=1 << 57),
        replace(RUN, measured_peak_bytes=1 << 200),
        replace(RUN, predicted_peak_bytes=-5),
        replace(RUN, decoded_tokens=-1),
    ],
)
def test_figures_no_machine_has_are_refused(records: Records, facts: RunFacts) -> None:
    records.note_run(KEY, RUN)
    assert records.note_run(KEY, facts) is None
    found = records.find(KEY)
    assert found is not None
    assert found.runs == 1


def test_a_probe_no_machine_has_is_refused(records: Records) -> None:
    assert records.note_probe(KEY, ProbeFacts(-1, 0)) is None
    assert records.note_probe(KEY, ProbeFacts(0, 1 << 60)) is None
    assert records.find(KEY) is None


@given(
    st.lists(
        st.builds(
            RunFacts,
            context_tokens=st.integers(-5, 1 << 45),
            decode_tps=st.floats(),
            decoded_tokens=st.integers(-1, 1 << 45),
            prefill_tps=st.floats(),
            prefilled_tokens=st.integers(-1, 1 << 45),
            measured_peak_bytes=st.integers(-1, 1 << 60),
            predicted_peak_bytes=st.integers(-1, 1 << 60),
        ),
        max_size=8,
    )
)
def test_whatever_is_believed_can_be_written_and_read(runs: list[RunFacts]) -> None:
    record = Record(KEY)
    for facts in filter(is_believable, runs):
        record = with_run(record, facts)
        assert record.decode_tps <= record.best_decode_tps or record.decode_tps == pytest.approx(
            record.best_decode_tps
        )
    assert msgspec.json.decode(msgspec.json.encode(record), type=Record) == record


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda good: b"",
    "cut": lambda good: good[: len(good) // 2],
    "zeros": lambda good: bytes(len(good)),
    "not text": lambda good: b"\xff\xfe" + good,
    "nested without end": lambda good: b"[" * 60_000,
    "huge": lambda good: good + b" " * 70_000,
    "huge value": lambda good: good.replace(b'"runs":1', b'"runs":99999999999999999999999'),
    "infinite value": lambda good: good.replace(b'"decode_tps":20.0', b'"decode_tps":1e999'),
    "negative value": lambda good: good.replace(b'"decode_tps":20.0', b'"decode_tps":-20.0'),
    "another model": lambda good: good.replace(b"SmolLM2", b"LLaMA99"),
    "another version": lambda good: good.replace(b'"schema_version":1', b'"schema_version":2'),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_file_is_set_aside_reported_and_replaced(
    name: str, records: Records, reports: Reports, tmp_path: Path
) -> None:
    records.note_run(KEY, RUN)
    file = tmp_path / "records" / file_name(KEY)
    damaged = DAMAGE[name](file.read_bytes())
    assert damaged != file.read_bytes()
    file.write_bytes(damaged)

    assert records.find(KEY) is None
    assert len(reports) == 1
    assert "damaged" in reports[0]
    assert file.with_suffix(".damaged").read_bytes() == damaged
    assert not file.exists()
    again = records.note_run(KEY, RUN)
    assert again is not None
    assert again.runs == 1
    assert len(reports) == 1


def test_noting_into_a_damaged_file_starts_anew(
    records: Records, reports: Reports, tmp_path: Path
) -> None:
    records.note_run(KEY, RUN)
    (tmp_path / "records" / file_name(KEY)).write_bytes(b"{")
    again = records.note_run(KEY, RUN)
    assert again is not None
    assert again.runs == 1
    assert len(reports) == 1


def test_a_place_that_cannot_be_written_is_reported(tmp_path: Path, reports: Reports) -> None:
    (tmp_path / "taken").write_text("a file", encoding="ascii")
    records = Records(tmp_path / "taken" / "records", reports.append)
    assert records.note_run(KEY, RUN) is None
    assert len(reports) == 1
    assert "cannot be kept" in reports[0]
    assert records.find(KEY) is None


def test_a_folder_where_the_file_should_be_is_reported(
    records: Records, reports: Reports, tmp_path: Path
) -> None:
    (tmp_path / "records" / file_name(KEY)).mkdir(parents=True)
    assert records.find(KEY) is None
    assert records.note_run(KEY, RUN) is None
    assert len(reports) == 2


def test_text_no_file_can_hold_is_reported_not_raised(records: Records, reports: Reports) -> None:
    odd = replace(KEY, name="\udcff")
    assert records.find(odd) is None
    assert records.note_run(odd, RUN) is None
    assert len(reports) == 2


def test_no_temporary_file_stays_behind(records: Records, tmp_path: Path) -> None:
    for _ in range(3):
        records.note_run(KEY, RUN)
    names = {file.name for file in (tmp_path / "records").iterdir()}
    assert names <= {file_name(KEY), ".lock"}


WRITER = """
import sys
from pathlib import Path
from engine.plan.record_key import RecordKey
from engine.plan.records import ProbeFacts, Records, RunFacts
records = Records(Path(sys.argv[1]))
keys = [RecordKey(name, "", 1, "reference") for name in ("shared", sys.argv[2])]
sys.stdin.readline()
for number in range(int(sys.argv[3])):
    for key in keys:
        facts = RunFacts(number, decode_tps=10.0 + number, decoded_tokens=100)
        assert records.note_run(key, facts) is not None
    records.note_probe(keys[0], ProbeFacts(number, 1))
"""


def test_two_processes_noting_at_once_lose_nothing(tmp_path: Path) -> None:
    rounds = 60
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), name, str(rounds)],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two")
    ]
    for writer in writers:  # both are imported and waiting before either begins
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    errors = [writer.communicate(timeout=120)[1] for writer in writers]
    assert [(writer.returncode, error) for writer, error in zip(writers, errors, strict=True)] == [
        (0, "")
    ] * 2
    records = Records(tmp_path)
    found = {
        name: records.find(RecordKey(name, "", 1, "reference")) for name in ("shared", "one", "two")
    }
    assert {name: record.runs for name, record in found.items() if record} == {
        "shared": 2 * rounds,
        "one": rounds,
        "two": rounds,
    }


def test_a_folders_key_follows_its_content(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "llama"}', encoding="utf-8")
    (tmp_path / "model.safetensors").write_bytes(bytes(100))
    key = key_of_folder(tmp_path, "a", "metal")
    assert key == key_of_folder(tmp_path, "a", "metal")
    assert key.weights_bytes == 100
    (tmp_path / "model-2.safetensors").write_bytes(bytes(11))
    assert key_of_folder(tmp_path, "a", "metal").weights_bytes == 111
    (tmp_path / "config.json").write_text('{"model_type": "qwen3"}', encoding="utf-8")
    assert key_of_folder(tmp_path, "a", "metal").config_hash != key.config_hash
    assert len(key.config_hash) == 16


def test_a_folder_that_is_not_there_has_a_key_all_the_same(tmp_path: Path) -> None:
    key = key_of_folder(tmp_path / "none", "\udcff", "metal", "4-bit", "/\udcfe")
    assert (key.config_hash, key.weights_bytes) == ("", 0)
    assert file_name(key).endswith(".json")


def test_a_lock_that_never_opens_is_not_waited_for(
    records: Records, reports: Reports, tmp_path: Path
) -> None:
    kept = records.note_run(KEY, RUN)
    with FileLock(tmp_path / "records" / ".lock"):
        assert records.note_run(KEY, RUN) is None
        assert records.find(KEY) == kept
    assert len(reports) == 1
    assert "cannot be kept" in reports[0]
