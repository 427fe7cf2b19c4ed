"""Finding the programs that tools start, and the one sentence for one that is missing."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from tooldeck.core.errors import SetupError

__all__ = ["find_program", "install_command"]

_APT = {
    "bwrap": "bubblewrap",
    "chromium": "chromium",
    "git": "git",
    "node": "nodejs",
    "npm": "npm",
    "rg": "ripgrep",
    "make": "make",
    "tesseract": "tesseract-ocr",
}
_BREW = {"chromium": "--cask chromium"}
_PIP = ("basedpyright", "mypy", "pyright", "pytest", "ruff", "ty")


def find_program(name: str, env: Mapping[str, str]) -> str:
    """The path of a program on the PATH of `env`; raises `SetupError` with the command that installs it.

    Folders of that PATH that are relative do not count: what lies in a workspace is not what is meant.
    """
    folders = [folder for folder in env.get("PATH", "").split(os.pathsep) if Path(folder).is_absolute()]
    found = shutil.which(name, path=os.pathsep.join(folders)) if name == Path(name).name else None
    if found is None:
        raise SetupError(f"The program {name!r} is not installed here; {install_command(name)}.")
    return found


def install_command(name: str) -> str:
    """What to do to get a program, as the end of a sentence."""
    if name in _PIP:
        return f"install it with: pip install {name}"
    if sys.platform == "darwin":
        return f"install it with: brew install {_BREW.get(name, name)}"
    if sys.platform.startswith("linux") and name in _APT:
        return f"install it with: apt-get install {_APT[name]}"
    return "install it and put it on the PATH"
