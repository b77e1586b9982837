"""Random vaults, random renames, moves and deletions: every link leads where it led before."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.vault.moving_vault import leads, make_vault, pages_of
from vault.errors import ArticleExists, NotAllowed
from vault.vault import Vault

HARDEN = os.environ.get("ZIB_HARDEN") == "1"
STEMS = ["X", "Y", "x y", "Z.b", "a.md", "読書", "O'Brien", "C#", "100% (a)", "a_b"]
FOLDERS = ["", "a/", "a/b/", "Deep folder/", "b/"]
NEW_STEMS = [stem for stem in STEMS if "#" not in stem]

paths = st.builds("{}{}.md".format, st.sampled_from(FOLDERS), st.sampled_from(STEMS))
targets = st.one_of(
    st.sampled_from(STEMS),
    paths,
    paths.map(lambda path: path[:-3]),
    paths.map(lambda path: "/" + path),
    paths.map(lambda path: "../" + path),
    paths.map(lambda path: "./" + path[:-3]),
)


def markdown(target: str) -> str:
    for plain, written in ((" ", "%20"), ("#", "%23"), ("(", "%28"), (")", "%29")):
        target = target.replace(plain, written)
    return target


links = st.one_of(
    targets.map("[[{}]]".format),
    targets.map("![[{}#Part]]".format),
    targets.map("[[{}|label]]".format),
    targets.map(lambda target: f"[t]({markdown(target)})"),
    targets.map("[t](<{}>)".format),
    targets.map(lambda target: f"\n\n[d]: {markdown(target)}\n\n"),
    targets.map("`[[{}]]`".format),
)
pages = st.dictionaries(
    paths, st.lists(links, max_size=4).map(" and ".join), min_size=2, max_size=6
)
steps = st.lists(
    st.tuples(
        st.sampled_from(["rename", "move", "delete", "create"]),
        st.integers(0, 5),
        st.sampled_from(NEW_STEMS),
        st.sampled_from(FOLDERS),
    ),
    min_size=1,
    max_size=4,
)


def unfolded(contents: dict[str, str]) -> dict[str, str]:
    """Leave out pages whose paths some disks take for one."""
    by_key = {path.casefold(): path for path in contents}
    return {path: contents[path] for path in by_key.values()}


def create(vault: Vault, stem: str, folder: str, before: dict[str, list[str | None]]) -> None:
    by_file = leads(vault, with_names=False)
    try:
        written = vault.create(stem, folder)
    except ArticleExists:
        assert leads(vault) == before
        return
    after = leads(vault)
    for page in set(before) - {page.path for page in written.skipped}:
        for old, named, new in zip(before[page], by_file[page], after[page], strict=True):
            assert new == old or (named is None and new == written.saved.file.path), page


def take_step(vault: Vault, step: tuple[str, int, str, str]) -> None:
    verb, number, stem, folder = step
    present = sorted(pages_of(vault))
    path = present[number % len(present)]
    before = leads(vault)
    if verb == "create":
        create(vault, stem, folder.rstrip("/"), before)
        return
    try:
        match verb:
            case "rename":
                plan = vault.moves.plan_rename(path, stem)
            case "move":
                plan = vault.moves.plan_move(path, folder + path.rpartition("/")[2])
            case _:
                plan = vault.moves.plan_delete(path)
    except (ArticleExists, NotAllowed):
        assert leads(vault) == before
        return
    carried = vault.moves.carry_out(plan).carried
    after = leads(vault)
    skipped = {page.path for page in carried.skipped}
    for page, found in before.items():
        if page in plan.change.deletes or page in skipped:
            continue
        now = after[plan.change.path_after(page)]
        assert len(now) == len(found)
        for old, new in zip(found, now, strict=True):
            if old is not None:
                expected = None if old in plan.change.deletes else plan.change.path_after(old)
                assert new == expected, (page, found, now)


@settings(
    max_examples=1500 if HARDEN else 40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(pages, steps)
def test_every_link_leads_where_it_led(
    contents: dict[str, str], storm: list[tuple[str, int, str, str]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        vault = make_vault(Path(folder) / "v", unfolded(contents))
        for step in storm:
            if len(pages_of(vault)) > 1:
                take_step(vault, step)
