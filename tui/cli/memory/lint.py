"""`zib memory lint`: what is wrong with the wiki, and mending what is sure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from tui.cli.memory.opened import EXIT_FAILED, with_vault
from tui.cli.memory.printed import counted, print_json, print_lines
from tui.cli.run import EXIT_USAGE, print_error
from tui.text.line import to_line
from vault.files import ArticleFile
from vault.history.commit import CommitResult, Committed
from vault.lint.finding import KINDS, Finding
from vault.lint.lint import Mended, lint, mend
from vault.names import displayable, stem_of, title_of
from vault.saving import Outcome
from vault.vault import Vault
from vault.written import Written

Flags = Mapping[str, object]


def run_lint(flags: Flags, kinds: Sequence[str], is_fixing: bool, is_json: bool) -> int:
    """Print the findings of these kinds, of all without any; 1 when faults are left."""
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        print_error(f"There is no kind “{to_line(unknown[0])}”. There are: {', '.join(KINDS)}.")
        return EXIT_USAGE

    def check(vault: Vault) -> int:
        found = _found(vault, kinds)
        mended: tuple[Mended, ...] = ()
        if is_fixing and any(finding.fix for finding in found):
            vault.require_consent()
            mended = _mend(vault, found)
            found = _found(vault, kinds)
        if is_json:
            print_json(_told(found, mended))
        else:
            print_lines(_mended_lines(mended))
            print_lines(_line(finding) for finding in found)
            print_error(_summary(found, is_fixing))
        return EXIT_FAILED if any(finding.is_fault for finding in found) else 0

    return with_vault(flags, check)


def _found(vault: Vault, kinds: Collection[str]) -> tuple[Finding, ...]:
    findings = lint(vault.index, vault.read, vault.is_ours)
    return tuple(finding for finding in findings if not kinds or finding.kind in kinds)


def _mend(vault: Vault, findings: Sequence[Finding]) -> tuple[Mended, ...]:
    commits: dict[str, CommitResult | None] = {}

    def save(path: str, text: str, base: ArticleFile) -> Written:
        subject = f"Mend {title_of(stem_of(displayable(path)))}"
        written = vault.save(path, text, base, subject=subject)
        if written.saved.outcome is Outcome.CONFLICT_COPY:
            print_error(f"{path} was changed meanwhile; see {written.saved.file.path}.")
        commits[path] = written.commit
        return written

    mended = tuple(mend(vault.index, findings, vault.read, save, vault.is_ours))
    for path, commit in commits.items():
        if commit is not None and not isinstance(commit, Committed):
            print_error(f"{path}: {commit.message}")
    return mended


def _told(found: Sequence[Finding], mended: Sequence[Mended]) -> dict[str, Any]:
    return {
        "findings": [_finding_told(finding) for finding in found],
        "mended": [
            {
                "path": displayable(page.path),
                "findings": [_finding_told(finding) for finding in page.findings],
                "problem": page.problem,
            }
            for page in mended
        ],
    }


def _finding_told(finding: Finding) -> dict[str, Any]:
    return {
        "kind": finding.kind,
        "path": displayable(finding.path),
        "line": finding.line,
        "message": displayable(finding.message),
        "is_fault": finding.is_fault,
        "fix": displayable(finding.fix.description) if finding.fix else "",
    }


def _mended_lines(mended: Sequence[Mended]) -> Iterator[str]:
    for page in mended:
        path = to_line(displayable(page.path))
        for finding in page.findings:
            assert finding.fix is not None  # only those with one are mended
            done = to_line(displayable(finding.fix.description))
            yield f"mended {path}:{finding.line}: {_message(finding)}: {done}"
        if page.problem:
            yield f"not mended {path}: {to_line(page.problem)}"


def _line(finding: Finding) -> str:
    line = f":{finding.line}" if finding.line else ""
    fix = f" (--fix: {to_line(displayable(finding.fix.description))})" if finding.fix else ""
    return f"{to_line(displayable(finding.path))}{line}: {_message(finding)}{fix}"


def _message(finding: Finding) -> str:
    return f"{finding.kind}: {to_line(displayable(finding.message))}"


def _summary(found: Sequence[Finding], is_fixing: bool) -> str:
    if not found:
        return "Nothing is left to mend." if is_fixing else "Nothing was found."
    faults = [finding for finding in found if finding.is_fault]
    notes = [finding for finding in found if not finding.is_fault]
    fixable = sum(finding.fix is not None for finding in found)
    hint = f" {fixable:,} can be mended with --fix." if fixable and not is_fixing else ""
    left = "left to mend" if is_fixing else "wrong"
    wrong = f"{_counts(faults, 'fault')}." if faults else f"Nothing is {left}."
    worth = f" Worth a look: {_counts(notes, 'note')}." if notes else ""
    return f"{wrong}{hint}{worth}"


def _counts(found: Sequence[Finding], noun: str) -> str:
    kinds = Counter(finding.kind for finding in found)
    listed = ", ".join(f"{kinds[kind]:,} {kind}" for kind in KINDS if kind in kinds)
    pages = counted(len({finding.path for finding in found}), "page")
    return f"{counted(len(found), noun)} on {pages} ({listed})"
