from pathlib import Path

import pytest

from vault.errors import NotAllowed
from vault.root import expand_root

HOME = Path("/home/reader")


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("", HOME / ".zibaldone/wiki"),
        ("  \n", HOME / ".zibaldone/wiki"),
        ("~", HOME),
        (" ~ ", HOME),
        ("~/notes", HOME / "notes"),
        ("~\\notes", HOME / "notes"),
        ("~//notes", HOME / "notes"),
        ("~name", Path.cwd() / "~name"),
        ("~name/notes", Path.cwd() / "~name/notes"),
        (" /srv/wiki ", Path("/srv/wiki")),
        ("/srv/~/wiki", Path("/srv/~/wiki")),
        ("/srv/$HOME", Path("/srv/$HOME")),
        ("notes", Path.cwd() / "notes"),
    ],
)
def test_the_setting_becomes_a_folder(setting: str, expected: Path) -> None:
    assert expand_root(setting, HOME) == expected


def test_a_nul_is_refused() -> None:
    with pytest.raises(NotAllowed):
        expand_root("/a\0b", HOME)
