"""The locked environment names no address and trusts no file without its hash."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PINNED = re.compile(r"[a-z0-9][a-z0-9._-]*(?:\[[a-z0-9,_-]+\])?==[^\s;]+(?: ; .+)?")
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def locked() -> list[list[str]]:
    """Each requirement of the lock: its pin, then its hashes."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8").replace("\\\n", "")
    return [re.split(r"\s{2,}", line.strip()) for line in text.splitlines() if line.strip()]


def test_every_requirement_is_pinned_and_hashed() -> None:
    requirements = locked()
    assert len(requirements) > 50
    for pin, *hashes in requirements:
        assert PINNED.fullmatch(pin), pin
        assert hashes, pin
        assert [one for one in hashes if not HASH.fullmatch(one)] == []


@pytest.mark.parametrize("name", ["requirements.lock", "build-requirements.in"])
def test_no_address_of_any_index(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "://" not in text
    assert "--index-url" not in text
    assert "--find-links" not in text
    assert " @ " not in text


def test_every_direct_dependency_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [
        *project["project"]["dependencies"],
        *project["dependency-groups"]["dev"],
        *project["build-system"]["requires"],
    ]
    names = {re.split(r"[\[<>=; ]", one)[0].lower() for one in wanted}
    pins = {re.split(r"[\[=]", pin)[0] for pin, *_ in locked()}
    assert names - pins == set()


def test_every_dependency_says_what_it_is_for() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = re.search(r"^dependencies = \[\n(.*?)^\]", text, re.MULTILINE | re.DOTALL)
    assert block
    lines = block[1].splitlines()
    assert len(lines) > 10
    assert [line for line in lines if not re.search(r'",\s+# \w+', line)] == []
