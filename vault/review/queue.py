"""The proposals of one wiki, a file each, in the data folder: nothing in the wiki says them."""

import contextlib
import re
import secrets
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import msgspec

from vault import os_errors
from vault.errors import ReviewFailed
from vault.private_files import read_private, replace_private, write_private
from vault.review.proposal import Decision, Proposal
from vault.root import folder_key

_NAME = re.compile(r"\d{8}T\d{6}-[0-9a-f]{8}")


def review_dir(data_dir: Path, root: Path) -> Path:
    """Where the proposals for a wiki lie: named by the folder's real path."""
    return data_dir / "review" / folder_key(root)


class ReviewQueue:
    """Proposals in files under `folder`; several programs may use it at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def propose(
        self, path: str, base: str | None, text: str, *, reason: str, source: str, actor: str
    ) -> Proposal:
        """Keep a new proposal. Raises ReviewFailed when it proposes nothing or cannot be kept."""
        if text == base:
            raise ReviewFailed(f"Nothing would change in “{path}”, so there is nothing to decide.")
        now = datetime.now().astimezone()
        proposal = Proposal(
            id=f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(4)}",
            made=now.isoformat(timespec="seconds"),
            path=path,
            base=base,
            text=text,
            reason=reason,
            source=source,
            actor=actor,
        )
        with _complaining(proposal.id):
            write_private(self._folder, _file_of(proposal.id), _encoded(proposal))
        return proposal

    def waiting(self) -> tuple[Proposal, ...]:
        """What is not decided yet, oldest first."""
        return tuple(each for each in self._all() if each.decision is None)

    def decided(self) -> tuple[Proposal, ...]:
        """What is decided, the newest proposal first."""
        return tuple(each for each in self._all() if each.decision is not None)[::-1]

    def unreadable(self) -> tuple[Path, ...]:
        """Files that hold no proposal any more; they are left where they are."""
        return tuple(self._folder / _file_of(name) for name in self._ids() if not self._read(name))

    def get(self, name: str) -> Proposal:
        """The one proposal whose id begins so. Raises ReviewFailed."""
        found = [each for each in self._ids() if each.startswith(name)]
        if len(found) != 1 or not name:
            what = "Several proposals begin" if found and name else "No proposal begins"
            raise ReviewFailed(f"{what} with “{name}”; `zib memory review` lists them.")
        proposal = self._read(found[0])
        if proposal is None:
            raise ReviewFailed(f"The proposal {found[0]} cannot be read: its file is damaged.")
        return proposal

    def settle(self, proposal: Proposal, decision: Decision | None) -> Proposal:
        """Write down what was decided, None to ask again. Raises ReviewFailed.

        `proposal` must be as it was read: what another window decided meanwhile stands.
        """
        settled = msgspec.structs.replace(proposal, decision=decision)
        with _complaining(proposal.id):
            is_done = replace_private(
                self._folder, _file_of(proposal.id), _encoded(settled), _encoded(proposal)
            )
        if not is_done:
            raise ReviewFailed("Another window decided on this proposal meanwhile.")
        return settled

    def forget(self, proposal: Proposal) -> None:
        """Take a proposal out for good. Raises ReviewFailed."""
        with _complaining(proposal.id):
            (self._folder / _file_of(proposal.id)).unlink(missing_ok=True)

    def _all(self) -> Iterator[Proposal]:
        for name in self._ids():
            proposal = self._read(name)
            if proposal is not None:
                yield proposal

    def _ids(self) -> list[str]:
        with _complaining("list"):
            try:
                names = [file.name for file in self._folder.iterdir()]
            except FileNotFoundError:
                return []
        return sorted(
            stem
            for name in names
            if _NAME.fullmatch(stem := name.removesuffix(".json")) is not None
        )

    def _read(self, name: str) -> Proposal | None:
        try:
            proposal = msgspec.json.decode(
                read_private(self._folder, _file_of(name)), type=Proposal
            )
        except (OSError, msgspec.MsgspecError, UnicodeError):
            return None
        return proposal if proposal.id == name else None


def _file_of(name: str) -> str:
    return f"{name}.json"


def _encoded(proposal: Proposal) -> bytes:
    try:
        return msgspec.json.format(msgspec.json.encode(proposal), indent=1) + b"\n"
    except UnicodeEncodeError as error:
        raise ReviewFailed("The proposal was not kept: its text is no valid Unicode.") from error


@contextlib.contextmanager
def _complaining(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ReviewFailed(
            f"The proposals cannot be used ({name}): {os_errors.reason(error)}."
        ) from error
