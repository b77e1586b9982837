"""Notes of the day: the right page at any hour, one line, one commit, nothing lost or rewritten."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.vault.conftest import PlainGit
from tests.vault.moving_vault import make_vault
from vault.daily import add_note, daily_path
from vault.errors import ArticleMissing, NotAllowed, ReadOnlyArticle
from vault.history.commit import Committed
from vault.moment import format_moment
from vault.templates import page_from_template, template_names
from vault.vault import Vault

NOON = datetime(2026, 1, 31, 12, 5, 9, 123456, timezone(timedelta(hours=-3, minutes=-30)))
BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("YYYY-MM-DD", "2026-01-31"),
        ("YYYY/MM MMMM/Do [of] MMM YY", "2026/01 January/31st of Jan 26"),
        ("dddd, ddd dd d do E e", "Saturday, Sat Sa 6 6th 6 6"),
        ("GGGG-[W]WW gggg-[w]ww W w", "2026-W05 2026-w05 5 5"),
        ("HH:mm:ss.SSS h A hh a k", "12:05:09.123 12 PM 12 pm 12"),
        ("Z ZZ Q Qo DDDD DDDo", "-03:30 -0330 1 1st 031 31st"),
        ("L LT LTS LL", "01/31/2026 12:05 PM 12:05:09 PM January 31, 2026"),
        ("X", str(int(NOON.timestamp()))),
        ("[YYYY] é自己 -", "YYYY é自己 -"),
        ("", ""),
    ],
)
def test_a_moment_is_written_as_moment_js_does(pattern: str, expected: str) -> None:
    assert format_moment(NOON, pattern) == expected


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        (datetime(2026, 1, 1, 0, 0, tzinfo=UTC), "2026-w01 2026-W01"),
        (datetime(2023, 1, 1, tzinfo=UTC), "2023-w01 2022-W52"),
        (datetime(2024, 12, 30, tzinfo=UTC), "2025-w01 2025-W01"),
        (datetime(2025, 12, 28, tzinfo=UTC), "2026-w01 2025-W52"),
    ],
)
def test_weeks_at_the_turn_of_the_year(when: datetime, expected: str) -> None:
    assert format_moment(when, "gggg-[w]ww GGGG-[W]WW") == expected


@pytest.mark.parametrize(
    ("instant", "zone", "day", "time"),
    [
        (datetime(2026, 1, 31, 22, 59, 59, 999999, UTC), BERLIN, "2026-01-31", "23:59"),
        (datetime(2026, 1, 31, 23, 0, 0, 0, UTC), BERLIN, "2026-02-01", "00:00"),
        (datetime(2026, 3, 29, 0, 59, tzinfo=UTC), BERLIN, "2026-03-29", "01:59"),
        (datetime(2026, 3, 29, 1, 0, tzinfo=UTC), BERLIN, "2026-03-29", "03:00"),
        (datetime(2026, 10, 25, 0, 30, tzinfo=UTC), BERLIN, "2026-10-25", "02:30"),
        (datetime(2026, 10, 25, 1, 30, tzinfo=UTC), BERLIN, "2026-10-25", "02:30"),
        (datetime(2026, 3, 28, 23, 30, tzinfo=UTC), ZoneInfo("Asia/Beirut"), "2026-03-29", "02:30"),
        (datetime(2026, 3, 28, 22, 30, tzinfo=UTC), ZoneInfo("Asia/Beirut"), "2026-03-29", "01:30"),
        (
            datetime(2026, 12, 31, 10, 30, tzinfo=UTC),
            ZoneInfo("Pacific/Kiritimati"),
            "2027-01-01",
            "00:30",
        ),
        (
            datetime(2024, 2, 29, 12, 0, tzinfo=UTC),
            ZoneInfo("Pacific/Midway"),
            "2024-02-29",
            "01:00",
        ),
    ],
)
def test_69_the_day_is_that_of_the_clock_on_the_wall(
    tmp_path: Path, instant: datetime, zone: ZoneInfo, day: str, time: str
) -> None:
    vault = make_vault(tmp_path / "v", {"x.md": ""})
    noted = add_note(vault, "x", instant.astimezone(zone))
    assert (noted.path, noted.line) == (f"{day}.md", f"- {time} x")


def test_a_note_makes_the_page_and_the_next_joins_it(wiki: Vault, git: PlainGit) -> None:
    first = add_note(wiki, "  bought *bread*  ", NOON)
    second = add_note(wiki, "two\r\nlines\n\nand three", NOON + timedelta(hours=1))
    assert first.path == second.path == "articles/2026-01-31.md"
    assert isinstance(second.commit, Committed)
    assert (wiki.root / first.path).read_text() == (
        "# 2026-01-31\n\n- 12:05 bought *bread*\n- 13:05 two\n  lines\n\n  and three\n"
    )
    assert [revision.subject for revision in wiki.log(first.path)] == ["Note in 2026-01-31"] * 2
    assert git(wiki.root, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("before", "added"),
    [
        (b"", b"- 12:05 x\n"),
        (b"text", b"\n\n- 12:05 x\n"),
        (b"text\n", b"\n- 12:05 x\n"),
        (b"text\n\n", b"- 12:05 x\n"),
        (b"\xef\xbb\xbf1. a\r\n2. b\r\n", b"- 12:05 x\r\n"),
        (b"* a\n  more", b"\n- 12:05 x\n"),
        (b"a\r\nb", b"\r\n\r\n- 12:05 x\r\n"),
        (b"```\ncode\n", b"```\n\n- 12:05 x\n"),
        (b"~~~~\ncode", b"\n~~~~\n\n- 12:05 x\n"),
        (b"a  \n\x0c\n \n", b"- 12:05 x\n"),
    ],
)
def test_a_note_only_adds_to_the_page(tmp_path: Path, before: bytes, added: bytes) -> None:
    vault = make_vault(tmp_path / "v", {"x.md": ""})
    (vault.root / "2026-01-31.md").write_bytes(before)
    add_note(vault, "x", NOON)
    assert (vault.root / "2026-01-31.md").read_bytes() == before + added


def test_notes_at_the_same_time_all_arrive(wiki: Vault) -> None:
    names = [f"note {number}" for number in range(6)]
    threads = [threading.Thread(target=add_note, args=(wiki, name, NOON)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = (wiki.root / "articles/2026-01-31.md").read_text().splitlines()[2:]
    assert sorted(lines) == [f"- 12:05 {name}" for name in names]


def test_a_linked_folder_of_days_is_committed_where_it_really_is(
    wiki: Vault, git: PlainGit
) -> None:
    (wiki.root / "articles/days").mkdir()
    (wiki.root / "articles/days/2026-01-31.md").write_text("# Day\n")
    (wiki.root / "articles/2026-01-31.md").symlink_to("days/2026-01-31.md")
    add_note(wiki, "x", NOON)
    assert (wiki.root / "articles/days/2026-01-31.md").read_text() == "# Day\n\n- 12:05 x\n"
    assert (wiki.root / "articles/2026-01-31.md").is_symlink()
    assert git(wiki.root, "show", "--name-only", "--format=", "HEAD").split() == [
        "articles/days/2026-01-31.md"
    ]


def test_what_cannot_take_a_note_is_a_sentence(wiki: Vault) -> None:
    for empty in ("", "  \n ", "\0"):
        with pytest.raises(NotAllowed, match="nothing to note"):
            add_note(wiki, empty, NOON)
    assert not (wiki.root / "articles/2026-01-31.md").exists()
    (wiki.root / "articles/2026-01-31.md").write_bytes(b"\xff\xfelatin")
    with pytest.raises(ReadOnlyArticle, match="takes no note"):
        add_note(wiki, "x", NOON)


def obsidian(root: Path, daily: dict[str, str], templates: dict[str, str]) -> Vault:
    (root / ".obsidian").mkdir(parents=True)
    (root / ".obsidian/daily-notes.json").write_text(json.dumps(daily))
    (root / ".obsidian/templates.json").write_text(json.dumps(templates))
    return make_vault(
        root,
        {
            "T/Day.md": "---\ntags: [day]\n---\n{{title}} | {{ date }} | {{time}}\n{{other}}\n",
            "T/Deep/Meeting.md": "# {{Title}}\n{{date:dddd [the] Do}} {{time:HH[h]mm}}\n",
        },
    )


def test_an_obsidian_vault_has_its_own_habits(tmp_path: Path) -> None:
    vault = obsidian(
        tmp_path / "v",
        {"folder": "Journal", "format": "YYYY/MM/YYYY-MM-DD dddd", "template": "T/Day"},
        {"folder": "T", "dateFormat": "DD.MM.YYYY", "timeFormat": "h:mm a"},
    )
    noted = add_note(vault, "x", NOON)
    assert noted.path == "Journal/2026/01/2026-01-31 Saturday.md"
    assert (vault.root / noted.path).read_text() == (
        "---\ntags: [day]\n---\n2026-01-31 Saturday | 31.01.2026 | 12:05 pm\n{{other}}\n\n"
        "- 12:05 x\n"
    )
    assert template_names(vault) == ("Deep/Meeting", "Day")
    page = page_from_template(vault, "deep/meeting", "With Ana", NOON)
    assert page == "# With Ana\nSaturday the 31st 12h05\n"
    with pytest.raises(ArticleMissing, match="There is: Deep/Meeting, Day"):
        page_from_template(vault, "../../etc/passwd", "x", NOON)


def test_a_format_cannot_lead_out_of_the_vault(tmp_path: Path) -> None:
    for pattern in ("[../../]YYYY", "[.git/]YYYY", "/[..]", "[a/../../b]"):
        root = tmp_path / str(abs(hash(pattern)))
        vault = obsidian(root, {"format": pattern}, {})
        with pytest.raises(NotAllowed):
            daily_path(vault, NOON)


def test_our_own_templates_are_pages_under_meta(wiki: Vault) -> None:
    (wiki.root / "Meta/Templates").mkdir()
    (wiki.root / "Meta/Templates/Daily.md").write_text("---\na: b\n---\n{{date:dddd}}\n")
    noted = add_note(wiki, "x", NOON)
    assert (wiki.root / noted.path).read_text() == (
        "---\na: b\n---\n# 2026-01-31\n\nSaturday\n\n- 12:05 x\n"
    )
    with pytest.raises(ArticleMissing, match="There is: Daily"):
        page_from_template(wiki, "Nothing", "x", NOON)
