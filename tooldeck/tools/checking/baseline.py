"""The baseline: findings of an earlier run, so that a later one tells the new ones only."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable

from tooldeck.core.errors import ExpectedError
from tooldeck.guards.paths import PathRefused, Workspace
from tooldeck.tools.checking.records import Finding

__all__ = ["BASELINE", "keys_of", "load_baseline", "new_findings", "save_baseline"]

BASELINE = ".tooldeck/verify-baseline.json"
_MOST_BYTES = 20_000_000
_NUMBER = re.compile(r"\d+")


def _key(tool: str, finding: Finding) -> str:
    """What stays the same when lines move: neither the line nor numbers in the message count."""
    return "|".join([tool, finding.path, finding.code, _NUMBER.sub("#", finding.message)])


def keys_of(findings: Iterable[tuple[str, Finding]]) -> Iterable[str]:
    """What identifies each finding of a tool, wherever its line has gone."""
    return (_key(tool, finding) for tool, finding in findings)


def save_baseline(workspace: Workspace, findings: Iterable[tuple[str, Finding]]) -> None:
    """Keep these findings, each with its tool."""
    counts = Counter(keys_of(findings))
    with workspace.at(BASELINE, "own") as entry:
        entry.write(json.dumps({"version": 1, "findings": counts}, indent=1).encode())


def load_baseline(workspace: Workspace) -> Counter[str]:
    """The findings that were kept; raises `ExpectedError` where there are none."""
    try:
        stated = json.loads(workspace.read(BASELINE, _MOST_BYTES))
        return Counter({str(key): int(count) for key, count in stated["findings"].items()})
    except PathRefused:
        raise ExpectedError("There is no baseline yet; make one with baseline='save'.") from None
    except (ValueError, KeyError, AttributeError, TypeError):
        raise ExpectedError(f"{BASELINE} is no baseline; make one with baseline='save'.") from None


def new_findings(baseline: Counter[str], tool: str, findings: Iterable[Finding]) -> list[Finding]:
    """The findings that the baseline has not; one that is there twice and was there once is new once."""
    left = Counter(baseline)
    new: list[Finding] = []
    for finding in findings:
        key = _key(tool, finding)
        if left[key] > 0:
            left[key] -= 1
        else:
            new.append(finding)
    return new
