"""Runs only some cases of a sweep, chosen by a printed seed; `make harden` runs all.

A sweep is a parametrized test marked `sampled(COUNT)`. `SWEEP_SEED` chooses the same cases again.
"""

from __future__ import annotations

import os
import random
import secrets

import pytest


def seed_of_run() -> str:
    """The same in each process of one run: the first one chooses, the others inherit."""
    return os.environ.setdefault("SWEEP_SEED", secrets.token_hex(4))


def choose(items: list[pytest.Item], seed: str) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The cases to run, in their order, and those left out."""
    sweeps: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("sampled"):
            sweeps.setdefault(item.nodeid.partition("[")[0], []).append(item)
    left_out: set[pytest.Item] = set()
    for name, cases in sweeps.items():
        marker = cases[0].get_closest_marker("sampled")
        count = int(marker.args[0]) if marker else len(cases)
        chance = random.Random(f"{seed} {name}")
        left_out.update(chance.sample(cases, max(0, len(cases) - count)))
    return [each for each in items if each not in left_out], [*left_out]
