"""What `verify` gives: each check with its status, counts and findings, and what they say together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from tooldeck.core.parts import Answer
from tooldeck.guards.isolation import Isolation
from tooldeck.guards.text import one_line

__all__ = ["MOST_FINDINGS", "Check", "Finding", "Report", "Standing", "together"]

MOST_FINDINGS = 50
"""Findings of one check that are given; all are counted."""
_SHOWN = 20


class Standing(StrEnum):
    """How a check, or all of them together, came out."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    """The check itself could not be done."""
    SKIPPED = "skipped"
    """There was nothing to check, or nothing to check it with."""
    TIMEOUT = "timeout"
    UNKNOWN = "unknown"
    """Of all together: nothing was checked."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One complaint."""

    path: str
    line: int
    """From 1; 0 where it concerns no line."""
    column: int
    code: str
    message: str
    severity: str
    """``error`` or ``warning``."""
    cell: int | None = None
    """Of a notebook: the number of the cell, from 1; the line is counted within it."""
    fixable: bool = False

    def __str__(self) -> str:
        place = f"{self.path}, cell {self.cell}" if self.cell is not None else self.path
        place = f"{place}:{self.line}:{self.column}" if self.line else place
        told = self.message.splitlines()[0] if self.message else ""
        return f"{one_line(place)}: {self.severity} {self.code}: {told}"


@dataclass(frozen=True, slots=True)
class Check:
    """One program that was run, or was not."""

    name: str
    """``lint``, ``types``, ``tests`` or the name of an npm script."""
    tool: str
    status: Standing
    version: str = ""
    errors: int = 0
    warnings: int = 0
    passed: int = 0
    """Tests; 0 for checks that have none, as the next three."""
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    findings: tuple[Finding, ...] = ()
    """The first `MOST_FINDINGS` by place."""
    known: int = 0
    """Findings that the baseline had already."""
    command: tuple[str, ...] = ()
    exit_code: int | None = None
    note: str = ""
    """Why it was skipped or could not be done; the last output of a program without a machine format."""

    @property
    def total(self) -> int:
        """All tests, those that were skipped included."""
        return self.passed + self.failed + self.skipped

    @property
    def pass_rate(self) -> float | None:
        """The share of passed tests among those that were run; None where none was."""
        ran = self.passed + self.failed
        return self.passed / ran if ran else None

    def __str__(self) -> str:
        counts = ""
        if self.total:
            counts = f": {self.passed} passed, {self.failed} failed, {self.skipped} skipped"
        elif self.status in {Standing.PASSED, Standing.FAILED}:
            counts = f": {self.errors} errors, {self.warnings} warnings"
        counts += f", {self.known} known before" if self.known else ""
        tool = f"{self.tool} {self.version}".strip()
        lines = [f"{self.name} ({tool}) {self.status}{counts} [{self.seconds:.1f} s]"]
        lines += [f"  {finding}" for finding in self.findings[:_SHOWN]]
        if len(self.findings) > _SHOWN:
            lines.append(f"  [{len(self.findings) - _SHOWN} more]")
        return "\n".join([*lines, *(f"  {line}" for line in self.note.splitlines())])


@dataclass(frozen=True, slots=True)
class Report:
    """All checks together."""

    status: Standing
    checks: tuple[Check, ...]
    isolation: Isolation

    @property
    def pass_rate(self) -> float | None:
        """The share of passed checks among those that passed or failed; None where none did."""
        passed = sum(check.status is Standing.PASSED for check in self.checks)
        failed = sum(check.status is Standing.FAILED for check in self.checks)
        return passed / (passed + failed) if passed + failed else None

    def __str__(self) -> str:
        rate = "nothing was checked" if self.pass_rate is None else f"pass rate {self.pass_rate:.0%}"
        head = f"{self.status} ({rate}; sandbox: {self.isolation})"
        return "\n".join([head, *map(str, self.checks)])

    def _tool_answer_(self) -> Answer:
        return Answer(self, str(self))


def together(checks: Iterable[Check]) -> Standing:
    """What several checks say: a failure weighs most, and what was skipped says nothing."""
    found = {check.status for check in checks}
    for standing in (Standing.FAILED, Standing.ERROR, Standing.TIMEOUT, Standing.PASSED):
        if standing in found:
            return standing
    return Standing.UNKNOWN
