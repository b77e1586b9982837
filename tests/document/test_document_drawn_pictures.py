"""Pictures drawn on a page: what is decoded, what is refused, and that nothing jumps."""

from __future__ import annotations

import io
import random
import struct
import zlib
from collections import Counter
from itertools import product
from typing import Self

import pytest
from PIL import Image
from rich.cells import cell_len
from rich.style import Style
from textual import on
from textual.app import App, ComposeResult
from textual.color import Color
from textual.geometry import Region, Size
from textual.widget import Widget

from tests.tui.conftest import wait_until
from tui.document.document import read_document
from tui.document.flow import Flow
from tui.document.page import FoundPicture, NoLibrary
from tui.document.paragraphs import read_picture_label
from tui.document.picture_header import PictureHeader, read_picture_header
from tui.messages import LinkFollowed
from tui.pictures.blocks import block_row
from tui.pictures.decode import PictureError, decode
from tui.pictures.kitty import PLACEHOLDER, placed_row, removal, sending
from tui.pictures.source import MOST_ROWS, PictureRow, PictureSource, cells_of, refusal
from tui.pictures.ways import PictureWay, way_of
from tui.text.filter import TerminalGate
from tui.themes.variables import theme_variable_defaults
from tui.widgets.document.pictures import MOST_KEPT, PictureShelf
from tui.widgets.document.reader import DocumentReader

GROUND = (10, 20, 30)
RED, BLUE = (250, 10, 10), (10, 10, 250)


def halves(width: int, height: int, mode: str = "RGB") -> Image.Image:
    """Red on the left, blue on the right."""
    picture = Image.new("RGB", (width, height), RED)
    picture.paste(BLUE, (width // 2, 0, width, height))
    return picture.convert(mode)


def saved(picture: Image.Image, kind: str, **options: object) -> bytes:
    """The picture as a file."""
    written = io.BytesIO()
    picture.save(written, kind, **options)
    return written.getvalue()


def png_header(width: int, height: int) -> bytes:
    """A PNG that says it has this size, and has nothing."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        whole = kind + data
        return struct.pack(">I", len(data)) + whole + struct.pack(">I", zlib.crc32(whole))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def corner(content: bytes, x: int, y: int, size: tuple[int, int] = (20, 20)) -> tuple[int, ...]:
    """The colour of one pixel of the picture, drawn in a box."""
    pixels = decode(content, *size, GROUND)
    assert (pixels.width, pixels.height) == size
    at = 3 * (y * pixels.width + x)
    return tuple(pixels.data[at : at + 3])


def is_near(found: tuple[int, ...], expected: tuple[int, ...]) -> bool:
    return max(abs(a - b) for a, b in zip(found, expected, strict=True)) < 40


@pytest.mark.parametrize(
    "content",
    [
        saved(halves(40, 40), "PNG"),
        saved(halves(40, 40), "JPEG", quality=95),
        saved(halves(40, 40), "WEBP", quality=95),
        saved(halves(40, 40, "P"), "GIF"),
        saved(halves(40, 40), "GIF", save_all=True, append_images=[Image.new("RGB", (40, 40))]),
        saved(halves(40, 40, "RGBA"), "PNG"),
        saved(halves(40, 40, "CMYK"), "JPEG", quality=95),
        saved(halves(40, 40), "PNG") + b"PK\3\4 and more" * 1000,
    ],
    ids=["png", "jpeg", "webp", "gif", "moving", "alpha", "cmyk", "with a tail"],
)
def test_what_is_a_picture_is_drawn(content: bytes) -> None:
    assert is_near(corner(content, 3, 10), RED)
    assert is_near(corner(content, 16, 10), BLUE)


def test_what_shines_through_is_the_page_and_deep_grey_stays_grey() -> None:
    assert corner(saved(Image.new("RGBA", (40, 40), (0, 0, 0, 0)), "PNG"), 9, 9) == GROUND
    hole = Image.new("P", (40, 40), 3)
    hole.putpalette([0] * 9 + [255, 0, 0])
    assert corner(saved(hole, "PNG", transparency=3), 9, 9) == GROUND
    deep = Image.frombytes("I;16", (40, 40), struct.pack("<H", 40_000) * 1600)
    assert is_near(corner(saved(deep, "PNG"), 9, 9), (156, 156, 156))
    # Another shape than its box: the rest is the page.
    assert corner(saved(halves(40, 20), "PNG"), 10, 1) == GROUND


@pytest.mark.parametrize("orientation", [0, 1, 3, 6, 8, 99])
def test_a_camera_held_sideways(orientation: int) -> None:
    note = Image.Exif()
    note[0x0112] = orientation
    content = saved(halves(80, 40), "JPEG", exif=note, quality=95)
    header = read_picture_header(content)
    is_turned = orientation in (6, 8)
    assert header == PictureHeader("JPEG", *((40, 80) if is_turned else (80, 40)))
    size = (20, 40) if is_turned else (40, 20)
    first = corner(content, 2, 2, size)
    assert is_near(first, BLUE if orientation in (3, 8) else RED)


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "P"])
def test_strips_of_a_large_picture_join_without_a_seam(mode: str) -> None:
    picture = Image.linear_gradient("L").resize((2004, 1503)).convert(mode)
    kept = {"transparency": 0} if mode == "P" else {}
    pixels = decode(saved(picture, "PNG", compress_level=1, **kept), 200, 150, (0, 0, 0))
    assert pixels.data[::3] == pixels.data[1::3]
    for y in range(150):
        row = pixels.data[600 * y : 600 * (y + 1)]
        assert abs(row[300] - 255 * y / 149) < 3
        assert max(row) - min(row) < 3


def test_header_and_drawing_agree_on_the_note() -> None:
    notes = [Image.Exif(), Image.Exif()]
    notes[0][0x0112], notes[1][0x0112] = 6, 1
    for kind in ("PNG", "WEBP"):
        content = saved(halves(80, 40), kind, exif=notes[0], lossless=True)
        header = read_picture_header(content)
        assert header is not None
        assert (header.width, header.height) == (80, 40)
        assert is_near(corner(content, 2, 2, (40, 20)), RED)
        assert is_near(corner(content, 38, 2, (40, 20)), BLUE)
    first, second = (saved(halves(80, 40), "JPEG", exif=note) for note in notes)
    start = second.index(b"\xff\xe1")
    end = start + 2 + struct.unpack(">H", second[start + 2 : start + 4])[0]
    both = first[:2] + second[start:end] + first[2:]
    assert read_picture_header(both) == PictureHeader("JPEG", 80, 40)
    assert read_picture_header(first) == PictureHeader("JPEG", 40, 80)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "not a readable"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not a readable"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n", "not a readable"),
        (saved(halves(9, 9), "BMP"), "not a readable"),
        (saved(halves(9, 9), "TIFF"), "not a readable"),
        (saved(halves(90, 90), "PNG")[:200], "cut off|damaged"),
        (saved(halves(900, 900), "JPEG")[:2000], "cut off"),
        (saved(halves(9, 9), "PNG")[:20], "readable|cut off|damaged"),
        (png_header(10_000, 9_000), "too many pixels"),
        (png_header(20_000, 9_000), "too many pixels"),
        (png_header(1, 30_000), "too many pixels"),
        (png_header(65_535, 65_535), "too many pixels"),
        (png_header(0, 5), "without a size"),
        (saved(halves(9, 9), "PNG").replace(b"IHDR", b"IHDX"), "readable|damaged"),
    ],
)
def test_what_is_none_says_why(content: bytes, why: str) -> None:
    with pytest.raises(PictureError, match=why):
        decode(content, 10, 10, GROUND)


def test_any_damage_is_told_of_and_never_more() -> None:
    chance = random.Random(7)
    whole = [saved(halves(30, 30), kind) for kind in ("PNG", "JPEG", "GIF", "WEBP")]
    for content in (whole[n % 4] for n in range(400)):
        broken = bytearray(content)
        for _ in range(chance.randint(1, 6)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        read_picture_header(bytes(broken))
        try:
            decode(bytes(broken), 8, 8, GROUND)
        except PictureError:
            continue


def test_rows_are_kept_free_by_size_and_width() -> None:
    photo = PictureSource("a.png", 800, 400, (1, 1))
    assert cells_of(photo, None, 200) == (88, 22)
    assert cells_of(photo, 200, 88) == (25, 6)
    assert cells_of(photo, None, 30) == (30, 8)
    assert cells_of(PictureSource("a.png", 16, 16, (1, 1)), None, 88) == (2, 1)
    for width, height, wish, room in product(
        (1, 16, 9000), (1, 16, 9000), (None, 1, 99_999), (1, 88)
    ):
        columns, rows = cells_of(PictureSource("a", width, height, (1, 1)), wish, room)
        assert 1 <= columns <= room
        assert 1 <= rows <= MOST_ROWS
    assert refusal(PictureHeader("PNG", 9000, 9000), 1)
    assert refusal(PictureHeader("PNG", 9, 9), 10**9)
    assert not refusal(PictureHeader("PNG", 900, 900), 10**6)


def test_labels_say_how_wide() -> None:
    assert read_picture_label("200") == ("", 200)
    assert read_picture_label("A boat|200x100") == ("A boat", 200)
    assert read_picture_label("A boat of 1998") == ("A boat of 1998", None)


@pytest.mark.parametrize(
    ("setting", "environ", "colours", "way"),
    [
        ("auto", {"TERM": "xterm-kitty"}, "truecolor", PictureWay.KITTY),
        ("auto", {"TERM": "xterm", "TERM_PROGRAM": "ghostty"}, "truecolor", PictureWay.KITTY),
        ("auto", {"TERM": "xterm-kitty", "TMUX": "/tmp/x"}, "truecolor", PictureWay.BLOCKS),
        ("auto", {"TERM": "xterm-kitty"}, "256", PictureWay.BLOCKS),
        ("blocks", {"TERM": "xterm-kitty"}, "truecolor", PictureWay.BLOCKS),
        ("auto", {"TERM": "xterm-256color"}, "standard", PictureWay.BLOCKS),
        ("off", {"TERM": "xterm-kitty"}, "truecolor", PictureWay.OFF),
        ("auto", {}, None, PictureWay.OFF),
    ],
)  # fmt: skip
def test_the_way_is_known_without_asking_the_terminal(
    setting: str, environ: dict[str, str], colours: str | None, way: PictureWay
) -> None:
    assert way_of(setting, environ, colours) is way  # type: ignore[arg-type]  # of a table


def test_what_the_terminal_draws_passes_the_gate_as_text() -> None:
    segment = placed_row(0x010203, 40, 21)
    assert cell_len(segment.text) == 40
    assert segment.text.count(PLACEHOLDER) == 40
    assert TerminalGate().apply([segment], Color(0, 0, 0)) == [segment]
    sent = sending(7, 40, 21, "A" * 10_000)
    assert sent.count("m=1;") == 2
    assert sent.count("m=0;") == 1
    assert sent.endswith("\x1b_Ga=p,U=1,i=7,c=40,r=21,q=2\x1b\\")
    assert removal(7) == "\x1b_Ga=d,d=I,i=7,q=2\x1b\\"


class Pictures(NoLibrary):
    """Pictures by name."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files

    def picture(self, target: str, from_path: str) -> FoundPicture:
        """As its header says."""
        del from_path
        header = read_picture_header(self.files[target])
        assert header is not None
        source = PictureSource(target, header.width, header.height, (1, 1))
        return FoundPicture("a picture", source)

    def picture_content(self, path: str) -> bytes:
        """The file."""
        return self.files[path]


class ReaderApp(App[None]):
    """A page alone."""

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our own variables."""
        return theme_variable_defaults(self.current_theme)

    def __init__(self) -> None:
        super().__init__()
        self.followed: list[str] = []

    @on(LinkFollowed)
    def note(self, event: LinkFollowed) -> None:
        """What was chosen."""
        self.followed.append(event.href)

    def compose(self) -> ComposeResult:
        """The reader."""
        yield DocumentReader()


async def test_a_picture_comes_into_the_rows_that_wait_for_it() -> None:
    cut = saved(halves(160, 160), "PNG")[:120]
    library = Pictures({"a.png": saved(halves(160, 160), "PNG"), "cut.png": cut})
    page = "# Title\n\n![[a.png]]\n\nbetween\n\n> ![](cut.png)\n\nend"
    document = read_document(page, "P.md", library)
    expected = Flow(document, 60).height
    app = ReaderApp()
    async with app.run_test(size=(66, 40)) as pilot:
        reader = app.query_one(DocumentReader)
        reader.show_document(document)
        flow = reader.flow
        assert flow is not None
        assert flow.height == expected

        def drawn(line: int) -> str:
            return reader.render_line(line).text

        await wait_until(pilot, lambda: "▀" * 20 in drawn(3), "the picture")
        await wait_until(pilot, lambda: "cannot" in "".join(map(drawn, range(40))), "the reason")
        assert flow.height == expected
        rows = [line for line in range(40) if "▀" in drawn(line)]
        assert rows == list(range(rows[0], rows[0] + 10))
        assert "▣ a.png" in drawn(rows[-1] + 1)
        colours = [segment.style for segment in reader.render_line(rows[0]) if "▀" in segment.text]
        assert len(colours) >= 2
        await pilot.click(DocumentReader, offset=(10, rows[0] + 2))
        assert app.followed == ["a.png"]
        await pilot.resize_terminal(40, 30)
        await wait_until(pilot, lambda: "▀" * 20 in drawn(4), "the picture at another width")


class Paper(Widget):
    """Stands for a window of so many lines in which pictures are drawn."""

    @property
    def size(self) -> Size:
        """Taller than many pictures are kept."""
        return Size(20, MOST_KEPT + 12)

    def refresh(self, *regions: Region, **how: bool) -> Self:
        """Nothing is drawn."""
        del regions, how
        return self


class Counted(Pictures):
    """How often each file was read; `gone` cannot be, `odd` raises what nobody foresaw."""

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__(files)
        self.reads: Counter[str] = Counter()
        self.is_back = False

    def picture_content(self, path: str) -> bytes:
        """The file."""
        self.reads[path] += 1
        if path == "gone" and not self.is_back:
            raise FileNotFoundError
        return self.files["a.png"]


async def test_a_tall_window_of_pictures_comes_to_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    library, paper = Counted({"a.png": saved(halves(9, 9), "PNG")}), Paper()
    shelf = PictureShelf(paper)

    def broken(content: bytes, *asked: object) -> object:
        if library.reads["odd"] == 1:
            raise RecursionError
        return decode(content, *asked)  # type: ignore[arg-type]  # as they came

    def drawn(name: str) -> str:
        row = PictureRow(PictureSource(name, 9, 9, (1, 1)), 40, 1, 0)
        return "".join(each.text for each in shelf.line(row, library, GROUND, Style()))

    async def come_to_rest(names: list[str]) -> None:
        for _ in range(20):
            for name in names:
                drawn(name)
            if shelf._working is None or shelf._working.done():
                return
            await shelf._working
        pytest.fail("It never rests.")

    names = ["gone", *(f"{n}.png" for n in range(paper.size.height - 1))]
    await come_to_rest(names)
    assert set(library.reads.values()) == {1}
    assert "not there" in drawn("gone")
    assert "▀" in drawn("0.png")
    library.is_back = True
    shelf.forget_unread()
    await come_to_rest(names)
    assert "▀" in drawn("gone")
    monkeypatch.setattr("tui.widgets.document.pictures.decode", broken)
    await come_to_rest(["odd"])
    assert "cannot be read" in drawn("odd")


def test_equal_neighbours_are_one_piece() -> None:
    pixels = decode(saved(halves(40, 40), "PNG"), 20, 20, GROUND)
    row = block_row(pixels, 4)
    assert sum(cell_len(each.text) for each in row) == 20
    assert len(row) < 12
