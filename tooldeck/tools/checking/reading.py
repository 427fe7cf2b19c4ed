"""Reading the machine formats of checkers and test runners; each gives findings, or raises ValueError."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from tooldeck.tools.checking.records import Finding

__all__ = [
    "Tests",
    "basedpyright_findings",
    "mypy_findings",
    "pytest_results",
    "ruff_findings",
    "ty_findings",
]


def _inside(path: str, root: Path) -> str:
    """A path as the workspace has it."""
    full = os.path.normpath(root / path)
    return os.path.relpath(full, root) if Path(full).is_relative_to(root) else path


def ruff_findings(out: bytes, root: Path) -> list[Finding]:
    """``ruff check --output-format json``; of notebooks with the number of the cell."""
    return [
        Finding(
            _inside(one["filename"], root),
            one["location"]["row"],
            one["location"]["column"],
            one["code"] or "invalid-syntax",
            one["message"],
            "error",
            one.get("cell"),
            one.get("fix") is not None and one["fix"].get("applicability") == "safe",
        )
        for one in json.loads(out)
    ]


def mypy_findings(out: bytes, root: Path) -> list[Finding]:
    """``mypy --output json``: an object a line; notes belong to the error before."""
    found: list[Finding] = []
    for line in out.decode(errors="replace").splitlines():
        if not line.startswith("{"):
            continue
        one = json.loads(line)
        if one["severity"] == "error":
            place = (_inside(one["file"], root), max(0, one["line"]), max(0, one["column"]) + 1)
            found.append(Finding(*place, one["code"] or "", one["message"], "error"))
    return found


def basedpyright_findings(out: bytes, root: Path) -> list[Finding]:
    """``basedpyright --outputjson``, whose ranges begin at 0."""
    found: list[Finding] = []
    for one in json.loads(out)["generalDiagnostics"]:
        start = one.get("range", {}).get("start", {"line": -1, "character": -1})
        severity = "error" if one["severity"] == "error" else "warning"
        place = (_inside(one["file"], root), start["line"] + 1, start["character"] + 1)
        if one["severity"] in {"error", "warning"}:
            found.append(Finding(*place, one.get("rule", ""), one["message"], severity))
    return found


def ty_findings(out: bytes, root: Path) -> list[Finding]:
    """``ty check --output-format gitlab``."""
    found: list[Finding] = []
    for one in json.loads(out):
        where = one["location"]
        start: dict[str, Any] = where.get("positions", {}).get("begin", {"line": 0, "column": 0})
        severity = "error" if one["severity"] in {"major", "critical", "blocker"} else "warning"
        place = (_inside(where["path"], root), start["line"], start["column"])
        found.append(Finding(*place, one["check_name"], one["description"], severity))
    return found


class Tests:
    """What a run of tests told."""

    def __init__(self) -> None:
        self.passed = self.failed = self.skipped = 0
        self.findings: list[Finding] = []


def pytest_results(xml: bytes, root: Path) -> Tests:
    """``pytest --junitxml`` with the family xunit1, which knows file and line of each test."""
    tests = Tests()
    tree = ET.fromstring(xml)  # noqa: S314 - expat itself refuses entities that multiply
    for case in tree.iter("testcase"):
        bad = next((one for one in case if one.tag in {"failure", "error"}), None)
        if bad is not None:
            tests.failed += 1
            line = int(case.get("line", "-1")) + 1
            path = _inside(case.get("file") or case.get("classname", "").replace(".", "/"), root)
            message = (bad.get("message") or bad.text or "").strip()
            code = f"{case.get('name')}" + (" (error)" if bad.tag == "error" else "")
            tests.findings.append(Finding(path, line, 0, code, message, "error"))
        elif any(one.tag == "skipped" for one in case):
            tests.skipped += 1
        else:
            tests.passed += 1
    return tests
