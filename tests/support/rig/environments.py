"""Clean environments: made for a test, far from the source tree, with nothing in them but what is named."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

UV = [sys.executable, "-m", "uv"]


class Installed:
    """An environment with the wheel in it; programs run in an empty folder beside it."""

    def __init__(self, folder: Path, wheel: Path, *requirements: str, alone: bool = False) -> None:
        self.folder = folder / "elsewhere"
        self.folder.mkdir(parents=True)
        self.python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
        run([*UV, "venv", "--quiet", "--python", sys.executable, str(folder / "venv")])
        install = [*UV, "pip", "install", "--quiet", "--python", str(self.python)]
        if alone:
            run([*install, "--no-deps", str(wheel)])
            run([*install, *requirements])
        else:
            run([*install, str(wheel), *requirements])

    def run(self, code: str) -> str:
        """Run a program with warnings as errors and return what it printed."""
        return run([str(self.python), "-W", "error", "-c", code], cwd=self.folder).stdout

    def run_with_errors(self, code: str) -> str:
        """Run a program and return all that a person would see."""
        done = run([str(self.python), "-c", code], cwd=self.folder)
        return done.stdout + done.stderr

    def check(self) -> None:
        """Fail when what is installed does not agree."""
        run([*UV, "pip", "check", "--quiet", "--python", str(self.python)])


def run(command: list[str], cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command far from this environment; fail with what it said when it fails."""
    kept = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    done = subprocess.run(
        command, cwd=cwd, env=kept, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, f"{command} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done
