"""`zib ask` with a form for the answer: a schema, a pattern, a choice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.protocol import Choice, JsonSchema, Pattern
from tests.cli.conftest import RunZib
from tui.cli.form import FormError, FormOptions, cut_note


def test_an_answer_of_a_schema_file_goes_to_the_pipe(run_zib: RunZib, tmp_path: Path) -> None:
    schema = {
        "type": "object",
        "properties": {"größe": {"type": "integer", "minimum": 3, "maximum": 8}},
        "required": ["größe"],
        "additionalProperties": False,
    }
    (tmp_path / "form.json").write_text(json.dumps(schema, ensure_ascii=False), encoding="utf-8")
    done = run_zib("ask", "--json", "--schema", "form.json", "how large?")
    assert (done.returncode, done.stderr) == (0, b"")
    document = json.loads(done.stdout)
    assert json.loads(document["answer"])["größe"] in range(3, 9)
    assert document["finish_reason"] == "stop"


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("--choice", "a", "--regex", "b"), 2, "only one of"),
        (("--regex", "[a-z]{40}", "--max-tokens", "3"), 1, "allow more with --max-tokens"),
    ],
)
def test_what_has_no_form_fails_with_a_sentence(
    run_zib: RunZib, arguments: tuple[str, ...], status: int, words: str
) -> None:
    done = run_zib("ask", *arguments, "hi")
    assert done.returncode == status
    assert words in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


def test_options_make_a_form(tmp_path: Path) -> None:
    file = tmp_path / "schema.json"
    file.write_bytes(b'\xef\xbb\xbf{"type": "null"}')
    assert FormOptions().read() is None
    assert FormOptions(schema=str(file)).read() == JsonSchema('{"type": "null"}')
    assert FormOptions(schema=' {"type":"null"}').read() == JsonSchema(' {"type":"null"}')
    assert FormOptions(regex="").read() == Pattern("")
    assert FormOptions(choices=("a", "b")).read() == Choice(("a", "b"))


def test_a_missing_file_is_named() -> None:
    with pytest.raises(FormError, match=r"nowhere\.json cannot be read: No such file"):
        FormOptions(schema="nowhere.json").read()


@pytest.mark.parametrize("content", [b"\xff\xfe", b" " * (5 * 1024**2)], ids=["not text", "large"])
def test_a_file_that_is_no_schema_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "schema.json"
    file.write_bytes(content)
    with pytest.raises(FormError, match="schema"):
        FormOptions(schema=str(file)).read()


def test_only_a_form_can_be_cut_off() -> None:
    assert cut_note(None, "length") == ""
    assert cut_note(Pattern("a"), "stop") == ""
    assert "--max-tokens" in cut_note(Pattern("a"), "length")
