"""Convert a llama-family GGUF file into a folder that mlx-lm loads.

Run as `python -P -m engine.worker.gguf_import SOURCE.gguf DESTINATION`. Standard output carries
`progress DONE TOTAL` lines, then `converted` (exit status 0) or `refused SENTENCE` (status 1).
The process ends when its standard input does. DESTINATION appears whole or not at all.
"""

import argparse
import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import mlx.core as mx
from filelock import FileLock, Timeout

from engine.errors import ModelUnavailable
from engine.models.gguf_header import GGUFHeader, read_header
from engine.models.gguf_layout import LlamaShape
from engine.models.gguf_llama import model_config, read_shape
from engine.models.gguf_tokenizer import read_tokenizer
from engine.models.lifeline import die_with_parent
from engine.models.manifest import CONVERTER_VERSION, Manifest, write_manifest
from engine.models.tokenizer_files import ByteLevelTokenizer, tokenizer_files
from engine.worker.gguf_weights import load_weights

HASH_CHUNK_BYTES = 4 << 20
# A converter whose parent just died may need this long to notice.
LOCK_SECONDS = 10.0
UNKNOWN_LICENCE = "unknown"


def main() -> int:
    """Run one conversion from the command line."""
    die_with_parent()
    parser = argparse.ArgumentParser(prog="engine.worker.gguf_import")
    parser.add_argument("source", type=Path)
    parser.add_argument("destination", type=Path)
    parser.add_argument(
        "--sampling", type=json.loads, default={}, help="JSON for generation_config"
    )
    arguments = parser.parse_args()
    destination = arguments.destination.absolute()
    try:
        convert(arguments.source, destination, _print_progress, arguments.sampling)
    except ModelUnavailable as error:
        _print_line(f"refused {' '.join(str(error).split())}")
        return 1
    except OSError as error:
        _print_line(
            f"refused {arguments.destination} could not be written: {error.strerror or error}."
        )
        return 1
    _print_line("converted")
    return 0


def convert(
    source: Path,
    destination: Path,
    report: Callable[[int, int], None],
    sampling: Mapping[str, float],
) -> None:
    """Convert `source` into the new folder `destination`; `report` gets bytes done and in all.

    `sampling` joins generation_config.json: what the model's card advises and GGUF cannot say.
    Raises ModelUnavailable, with nothing left behind, when the model cannot be kept as it is.
    """
    lock = FileLock(destination.parent / f".{destination.name}.converting.lock")
    try:
        lock.acquire(timeout=LOCK_SECONDS)
    except Timeout as error:
        raise ModelUnavailable(
            f"Another conversion into {destination} is running; wait for it to end."
        ) from error
    try:
        _remove_leftovers(destination)
        _convert_alone(source, destination, report, sampling)
    finally:
        _remove_leftovers(destination)
        lock.release()


def _convert_alone(
    source: Path,
    destination: Path,
    report: Callable[[int, int], None],
    sampling: Mapping[str, float],
) -> None:
    if destination.exists():
        raise ModelUnavailable(f"{destination} exists already; choose another name.")
    header = read_header(source)
    shape = read_shape(header)
    tokenizer = read_tokenizer(header.metadata)
    if len(tokenizer.tokens) != shape.vocabulary:
        raise ModelUnavailable(
            f"{source.name} names {len(tokenizer.tokens)} tokens but embeds {shape.vocabulary}."
        )
    source_size = source.stat().st_size
    total = 3 * source_size
    digest = _sha256(source, lambda done: report(done, total))
    folder = Path(tempfile.mkdtemp(prefix=_leftover_prefix(destination), dir=destination.parent))
    _write_settings(folder, header, shape, tokenizer, sampling)
    weights = load_weights(source, folder, header, shape)
    report(2 * source_size, total)
    mx.save_safetensors(str(folder / "model.safetensors"), weights, metadata={"format": "mlx"})
    sizes = {path.name: path.stat().st_size for path in sorted(folder.iterdir())}
    for name in sizes:
        _flush_to_disk(folder / name)
    manifest = Manifest(
        name=destination.name,
        licence=str(header.metadata.get("general.license", UNKNOWN_LICENCE)),
        source_sha256=digest,
        converter_version=CONVERTER_VERSION,
        files=sizes,
    )
    _flush_to_disk(write_manifest(folder, manifest))
    folder.chmod(0o755)
    _flush_to_disk(folder)
    folder.rename(destination)
    _flush_to_disk(destination.parent)
    report(total, total)


def _write_settings(
    folder: Path,
    header: GGUFHeader,
    shape: LlamaShape,
    tokenizer: ByteLevelTokenizer,
    sampling: Mapping[str, float],
) -> None:
    files = tokenizer_files(tokenizer, shape.context, sampling)
    files["config.json"] = json.dumps(model_config(header, shape), indent=1).encode()
    for name, content in files.items():
        (folder / name).write_bytes(content)


def _leftover_prefix(destination: Path) -> str:
    return f".{destination.name}.converting-"


def _remove_leftovers(destination: Path) -> None:
    # Whoever holds the lock is alone: what lies here belongs to a conversion that is over.
    for entry in destination.parent.iterdir():
        if entry.name.startswith(_leftover_prefix(destination)):
            shutil.rmtree(entry, ignore_errors=True)


def _sha256(path: Path, report: Callable[[int], None]) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(HASH_CHUNK_BYTES):
            digest.update(chunk)
            report(stream.tell())
    return digest.hexdigest()


def _flush_to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _print_progress(done: int, total: int) -> None:
    _print_line(f"progress {done} {total}")


def _print_line(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
