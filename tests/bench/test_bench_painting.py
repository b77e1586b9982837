"""Finding the first frame in the bytes a program sends to its terminal."""

import pytest

from tui.bench.painting import first_painted, painted_text

ALTERNATE = b"\x1b[?1049h"
FRAME = (
    b"\x1b[?2026h\x1b[1;1H\x1b[38;2;1;2;3;1mZibal\x1b[0mdone\x1b[2;4H\x1b[7mAsk\x1b[27m me\x1b[0m"
)


@pytest.mark.parametrize(
    ("output", "is_painted"),
    [
        (ALTERNATE + b"Zibaldone", True),
        (b"Zibaldone" + ALTERNATE, False),
        (b"Zibaldone", False),
        (ALTERNATE + b"\x1b]0;Zibaldone\x07", False),
        (ALTERNATE + b"\x1b]2;Zibaldone\x1b\\", False),
        (ALTERNATE + b"\x1bPZibaldone\x1b\\", False),
        (ALTERNATE + b"\x1b_Zibaldone\x1b\\", False),
        (ALTERNATE + b"\x1b]0;Zibaldone", False),
        (ALTERNATE + b"\x1b]0;title\x07Zibaldone", True),
        (ALTERNATE + b"\x1b[1mZi\x1b[38:2::1:2:3mbaldone", True),
        (ALTERNATE + b"\x1b[1;1HZi\x1b[9;9Hbaldone", False),
        (ALTERNATE + b"\x1b(B\x1b=Zibaldone", True),
        (ALTERNATE + "… Zibaldone".encode() + b"\xe2\x80", True),
    ],
)
def test_only_what_is_painted_in_the_alternate_screen_counts(
    output: bytes, is_painted: bool
) -> None:
    assert ("Zibaldone" in painted_text(output)) is is_painted


def test_a_frame_cut_anywhere_is_found_with_its_last_needed_byte() -> None:
    output = b"\x1b]0;Zibaldone Ask me\x07" + ALTERNATE + FRAME
    needed = output.rindex(b" me") + len(b" me")
    for cut in range(1, len(output)):
        pieces = [(1.0, output[:cut]), (2.0, output[cut:])]
        expected = 1.0 if cut >= needed else 2.0
        assert first_painted(pieces, ("Zibaldone", "Ask me")) == expected


def test_byte_by_byte() -> None:
    output = ALTERNATE + FRAME
    pieces = [(float(index), output[index : index + 1]) for index in range(len(output))]
    needed = output.index(b"done") + len(b"done") - 1
    assert first_painted(pieces, ("Zibaldone",)) == needed


@pytest.mark.parametrize("marks", [("Zibaldone", "absent"), ("absent",)])
def test_a_missing_mark_is_no_frame(marks: tuple[str, ...]) -> None:
    assert first_painted([(1.0, ALTERNATE + FRAME)], marks) is None
