"""The programs that check: which there are, how each is called, what its exit codes and its output mean."""

from __future__ import annotations

import configparser
import contextlib
import json
import os
import re
import tempfile
import tomllib
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tooldeck.core.errors import SetupError
from tooldeck.guards.environment import environment
from tooldeck.guards.isolation import Isolation, View, Walls
from tooldeck.guards.paths import Workspace
from tooldeck.guards.programs import find_program
from tooldeck.guards.running import Finished, Limits, summed_up
from tooldeck.guards.sandbox import best, run_confined
from tooldeck.tools.checking.reading import (
    basedpyright_findings,
    mypy_findings,
    pytest_results,
    ruff_findings,
    ty_findings,
)
from tooldeck.tools.checking.records import Check, Finding, Standing
from tooldeck.tools.executing.folders import left_files

__all__ = [
    "Place",
    "configured_type_checker",
    "npm_scripts",
    "place_in",
    "run_npm",
    "run_pytest",
    "run_static",
    "type_checker",
]

_JUNIT = "junit.xml"
_NO_FILE = re.compile(rb'no python files found|there are no \.py|"filesAnalyzed": 0\b', re.IGNORECASE)
_NOTE_LINES = 12
_versions: dict[tuple[str, float], str] = {}
# By program; asking takes as long as a small check.


@dataclass(frozen=True, slots=True)
class Place:
    """Where checks are run, and how."""

    root: Path
    view: View
    walls: Walls
    limits: Limits

    @property
    def env(self) -> dict[str, str]:
        """The project's own environment first, where it has one."""
        own = [self.root / name / "bin" for name in (".venv", "venv")]
        path = [*(str(folder) for folder in own if folder.is_dir()), environment()["PATH"]]
        return {"PATH": os.pathsep.join(path), "PYTHONDONTWRITEBYTECODE": "1"}

    async def run(self, words: Sequence[str], data: bytes | None = None) -> Finished:
        """Run a program there; `data` is its input."""
        finished, _ = await run_confined(words, self.view, self.walls, self.limits, env=self.env, data=data)
        return finished

    async def version(self, program: str) -> str:
        """The version that a program says it has; the last word with a digit in its first line."""
        key = (os.path.realpath(program), os.stat(program).st_mtime)  # noqa: ASYNC240, PTH116 - no wait
        if key not in _versions:
            said = (await self.run([program, "--version"])).stdout.text.splitlines()
            words = [word for word in (said[0].split() if said else []) if any(map(str.isdigit, word))]
            _versions[key] = words[0] if words else ""
        return _versions[key]


@contextlib.asynccontextmanager
async def place_in(
    workspace: Workspace, minimum: Isolation, limits: Limits, directory: str = "."
) -> AsyncGenerator[Place]:
    """A place for programs that read a folder of the workspace and change nothing in it.

    Raises `SetupError` where the sandbox is weaker than `minimum`.
    """
    walls = await best(minimum)
    with workspace.at(directory, "folder"):
        root = workspace.real(directory)
    with tempfile.TemporaryDirectory(prefix="tooldeck-verify-", ignore_cleanup_errors=True) as folder:
        yield Place(root, View(Path(folder), read=(workspace.root,), start=root), walls, limits)


@dataclass(frozen=True, slots=True)
class _Static:
    """A program that reads code without running it."""

    words: tuple[str, ...]
    read: Callable[[bytes, Path], list[Finding]]
    found: int = 1
    """The exit code that means findings; 0 means none."""


_STATIC = {
    "ruff": _Static(("check", "--output-format", "json", "--no-cache", "--no-fix", "--"), ruff_findings),
    "mypy": _Static(("--output", "json", "--cache-dir", os.devnull, "--"), mypy_findings),
    "basedpyright": _Static(("--outputjson",), basedpyright_findings),
    "ty": _Static(("check", "--output-format", "gitlab", "--"), ty_findings),
}


async def run_static(place: Place, name: str, tool: str, paths: Sequence[str]) -> Check:
    """Run a linter or a type checker over paths."""
    try:
        program = find_program(tool, place.env)
    except SetupError as error:
        return Check(name, tool, Standing.SKIPPED, note=str(error))
    about = _STATIC[tool]
    words = [program, *about.words, *(paths or ["."])]
    finished = await place.run(words)
    check = _begun(name, tool, await place.version(program), words, finished)
    if not finished.stopped and _read_nothing(finished):
        return replace(check, status=Standing.SKIPPED, note="there is no file to check")
    if finished.stopped or finished.exit_code not in {0, about.found}:
        return check
    try:
        findings = about.read(finished.stdout.data, place.root)
    except (ValueError, KeyError, TypeError) as error:
        return replace(check, note=f"its output could not be read: {error!r}")
    errors = sum(one.severity == "error" for one in findings)
    return replace(
        check,
        status=Standing.PASSED if finished.exit_code == 0 else Standing.FAILED,
        errors=errors,
        warnings=len(findings) - errors,
        findings=_sorted(findings),
        note="",
    )


def _read_nothing(finished: Finished) -> bool:
    """Whether a checker says that it found no file; most end as if all were well then."""
    told = finished.stdout.data if finished.exit_code == 0 else b""
    return _NO_FILE.search(told + finished.stderr.data) is not None


async def run_pytest(place: Place, paths: Sequence[str], pattern: str) -> Check:
    """Run the tests of a project."""
    try:
        program = find_program("pytest", place.env)
    except SetupError as error:
        return Check("tests", "pytest", Standing.SKIPPED, note=str(error))
    report = f"--junitxml={place.view.folder / _JUNIT}"
    options = ["-q", "-p", "no:cacheprovider", "-o", "junit_family=xunit1", "--tb=short", report]
    words = [program, *options, *([f"-k{pattern}"] if pattern else []), "--", *paths]
    finished = await place.run(words)
    check = _begun("tests", "pytest", await place.version(program), words, finished)
    if finished.stopped:
        return check
    if finished.exit_code == 5:
        return replace(check, status=Standing.SKIPPED, note="no test was found")
    files = {file.name: file.data for file in left_files(place.view.folder, {})[0]}
    if finished.exit_code not in {0, 1} or _JUNIT not in files:
        return check
    try:
        tests = pytest_results(files[_JUNIT], place.root)
    except (SyntaxError, ValueError) as error:
        return replace(check, note=f"its report could not be read: {error!r}")
    ran = tests.passed + tests.failed
    standing = Standing.FAILED if finished.exit_code or tests.failed else Standing.PASSED
    return replace(
        check,
        status=standing if ran or finished.exit_code else Standing.SKIPPED,
        errors=tests.failed,
        passed=tests.passed,
        failed=tests.failed,
        skipped=tests.skipped,
        findings=_sorted(tests.findings),
        note="" if ran else "every test was skipped",
    )


async def run_npm(place: Place, script: str) -> Check:
    """Run a script of package.json, which is passed where it exits with 0."""
    try:
        program = find_program("npm", place.env)
    except SetupError as error:
        return Check(script, "npm", Standing.SKIPPED, note=str(error))
    words = [program, "run", "--silent", "--", script]
    finished = await place.run(words)
    check = _begun(script, "npm", "", words, finished)
    if finished.stopped:
        return check
    standing = Standing.PASSED if finished.exit_code == 0 else Standing.FAILED
    return replace(check, status=standing, note="" if finished.ok else check.note)


def npm_scripts(root: Path) -> list[str]:
    """Those of the usual scripts that the project has, the placeholder for tests left out."""
    scripts = _stated(root / "package.json", json.loads).get("scripts")
    if not isinstance(scripts, dict):
        return []
    usual = ("lint", "typecheck", "check", "test", "build")
    return [name for name in usual if name in scripts and "no test specified" not in str(scripts[name])]


def configured_type_checker(root: Path) -> str | None:
    """The type checker that the project configures: in pyproject.toml, or in a file of its own."""
    tools = _stated(root / "pyproject.toml", tomllib.loads).get("tool")
    stated = tools if isinstance(tools, dict) else {}
    for key, name, files in (
        ("basedpyright", "basedpyright", ()),
        ("mypy", "mypy", ("mypy.ini", ".mypy.ini")),
        ("ty", "ty", ("ty.toml",)),
        ("pyright", "basedpyright", ("pyrightconfig.json",)),
    ):
        if key in stated or any((root / file).is_file() for file in files):
            return name
    return "mypy" if _has_section(root / "setup.cfg", "mypy") else None


def _has_section(path: Path, name: str) -> bool:
    parser = configparser.ConfigParser(interpolation=None)
    try:
        return bool(parser.read(path, "utf-8")) and parser.has_section(name)
    except (configparser.Error, ValueError, OSError):
        return False


def type_checker(place: Place) -> str:
    """The type checker that the project configures, else the first one that is installed."""
    configured = configured_type_checker(place.root)
    if configured is not None:
        return configured
    for name in ("basedpyright", "mypy", "ty"):
        try:
            find_program(name, place.env)
        except SetupError:
            continue
        return name
    return "mypy"


def _stated(path: Path, read: Callable[[str], Any]) -> dict[str, Any]:
    try:
        stated = read(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return stated if isinstance(stated, dict) else {}


def _begun(name: str, tool: str, version: str, words: Sequence[str], finished: Finished) -> Check:
    """The check as far as the run itself tells: an error until its output says more."""
    said = (finished.stderr.text.strip() or finished.stdout.text.strip()).splitlines()[-_NOTE_LINES:]
    return Check(
        name,
        tool,
        Standing.TIMEOUT if finished.stopped == "time" else Standing.ERROR,
        version,
        seconds=finished.seconds,
        command=tuple(words),
        exit_code=finished.exit_code,
        note="\n".join([summed_up(finished), *said]),
    )


def _sorted(findings: list[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda one: (one.path, one.cell or 0, one.line, one.column, one.code)))
