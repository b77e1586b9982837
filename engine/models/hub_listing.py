"""Which files of a repository a model needs, and how each is recognised."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase

from huggingface_hub import HfApi
from huggingface_hub.hf_api import RepoSibling

from engine.errors import ModelUnavailable
from engine.models.safetensors_header import WEIGHT_FILES

WANTED = (
    WEIGHT_FILES,
    "*.json",
    "*.jinja",
    "*.jsonl",
    "*.txt",
    "*.tiktoken",
    "tokenizer.model",
    "README.md",
    "LICENSE*",
)
"""Files of the top folder; never program code, pickles or other formats of the same weights."""

LARGEST_FILE = 50 * 10**9
"""The hub sends larger ones through its own storage protocol only."""

ASK_SECONDS = 30.0
_MOST_FILES = 4096
_LARGEST_SMALL_FILE = 64 << 20
_SAFE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+ -]{0,200}")
_SHA1, _SHA256 = re.compile(r"[0-9a-f]{40}"), re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """One file to have. `digest` is a SHA-256, or the SHA-1 git gives a blob."""

    name: str
    size: int
    digest: str

    @property
    def is_git_blob(self) -> bool:
        """Whether the digest is git's."""
        return _SHA1.fullmatch(self.digest) is not None


@dataclass(frozen=True, slots=True)
class Listing:
    """What one commit holds for us."""

    commit: str
    files: tuple[RemoteFile, ...]

    @property
    def total_bytes(self) -> int:
        """Of all files."""
        return sum(file.size for file in self.files)


def list_model(repository: str, revision: str) -> Listing:
    """Ask the hub. Raises ModelUnavailable and what `hub_refusal.FAILURES` lists."""
    info = HfApi(library_name="zibaldone").model_info(
        repository, revision=revision, files_metadata=True, timeout=ASK_SECONDS
    )
    commit = info.sha or ""
    if not _SHA1.fullmatch(commit):
        raise ModelUnavailable(f"The hub names no commit for {repository}; try again later.")
    siblings = [sibling for sibling in info.siblings or () if is_wanted(sibling.rfilename)]
    files = tuple(_remote_file(repository, sibling) for sibling in siblings[:_MOST_FILES])
    _check(repository, files, [sibling.rfilename for sibling in info.siblings or ()])
    return Listing(commit, files)


def is_wanted(name: str) -> bool:
    """Whether a model needs the file; names with folders in them never are."""
    return _SAFE_NAME.fullmatch(name) is not None and any(
        fnmatchcase(name, pattern) for pattern in WANTED
    )


def _remote_file(repository: str, sibling: RepoSibling) -> RemoteFile:
    digest = sibling.lfs.sha256 if sibling.lfs else sibling.blob_id
    size = sibling.lfs.size if sibling.lfs else sibling.size
    pattern = _SHA256 if sibling.lfs else _SHA1
    if not (isinstance(digest, str) and pattern.fullmatch(digest) and isinstance(size, int)):
        raise ModelUnavailable(
            f"The hub does not say how to check {sibling.rfilename} of {repository}, "
            "so it is not downloaded; try again later."
        )
    if size < 0 or (not sibling.lfs and size > _LARGEST_SMALL_FILE):
        raise ModelUnavailable(f"The hub names an impossible size for {sibling.rfilename}.")
    return RemoteFile(sibling.rfilename, size, digest)


def _check(repository: str, files: tuple[RemoteFile, ...], everything: list[str]) -> None:
    names = {file.name for file in files}
    has_weights = any(fnmatchcase(name, WEIGHT_FILES) for name in names)
    if "config.json" not in names or not has_weights:
        raise ModelUnavailable(
            f"{repository} holds no model that MLX loads (config.json and model*.safetensors). "
            + _hint(everything)
        )
    for file in files:
        if file.size > LARGEST_FILE:
            raise ModelUnavailable(
                f"{file.name} of {repository} has {file.size / 1e9:.0f} GB, which the hub gives "
                f"only to its own program: run `hf download {repository}`; it is found afterwards."
            )


def _hint(everything: list[str]) -> str:
    if any(name.lower().endswith(".gguf") for name in everything):
        return "It holds GGUF files: download one and run `zib models import FILE`."
    return "Look for the same model under mlx-community."
