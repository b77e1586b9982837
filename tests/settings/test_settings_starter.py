"""The file we offer to begin with says what the schema says."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tui.settings import Settings, load_settings, starter_text
from tui.settings.keys import Key, all_keys
from tui.settings.starter import documentation

COMMENTED_KEY = re.compile(r"^#(?=\w)", re.MULTILINE)


def test_it_changes_nothing_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(starter_text(), encoding="utf-8")
    loaded = load_settings(file, {}, {})
    assert loaded.settings == Settings()
    assert {source.kind for name, source in loaded.sources.items() if name != "keys"} == {"default"}


def test_uncommented_it_is_exactly_the_defaults(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(COMMENTED_KEY.sub("", starter_text()), encoding="utf-8")
    loaded = load_settings(file, {}, {})
    assert loaded.settings == Settings()
    assert {source.kind for source in loaded.sources.values()} == {"file"}
    written = tomllib.loads(file.read_text(encoding="utf-8"))
    assert set(written) == {key.path[0] for key in all_keys().values()}


@pytest.mark.parametrize("key", all_keys().values(), ids=lambda key: key.name)
def test_every_key_is_documented_with_its_variable(key: Key) -> None:
    text = " ".join(starter_text().replace("\n# ", " ").split())
    assert len(documentation(key)) > 20
    assert " ".join(documentation(key).split()) in text
    assert key.is_table or f"Environment: {key.variable}" in text


def test_importing_the_settings_loads_no_screen() -> None:
    code = (
        "import sys, tui.settings, tui.paths, tui.text.sanitise\n"
        "slow = {'textual', 'rich', 'platformdirs', 'mlx', 'numpy'}\n"
        "print(sorted(slow & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
