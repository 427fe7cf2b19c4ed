"""A small project in a fresh folder: what the examples of the built-in tools speak of.

A tool that is added may need more in it: put it here, and never change what other examples rely on.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from sample_pictures import pdf_of, picture_of

__all__ = ["FILES", "make_sample_workspace"]

FILES: dict[str, str] = {
    "README.md": "# Lamp\n\nTurns a lamp on and off.\n",
    "src/lamp.py": (
        '"""The lamp."""\n\n\ndef on(level: int = 5) -> str:\n    return f"on at {level}"\n\n\n'
        'def off() -> str:\n    return "off"\n'
    ),
    "src/__init__.py": "",
    "tests/test_lamp.py": "from src.lamp import off\n\n\ndef test_off():\n    assert off() == 'off'\n",
    "notes/todo.txt": "buy a bulb\nfind the switch\n",
    "build/out.txt": "made by the build\n",
    ".gitignore": "build/\n*.log\n",
}
"""Texts by path."""


def make_sample_workspace(folder: Path) -> Path:
    """Write the project into `folder`, and return it."""
    _write(folder)
    if shutil.which("git") is not None:
        shutil.copytree(_repository(), folder, dirs_exist_ok=True, symlinks=True)
    return folder


def _write(folder: Path) -> None:
    for path, text in FILES.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="")
    (folder / "pictures").mkdir()
    (folder / "pictures" / "lamp.png").write_bytes(picture_of("A yellow lamp"))
    (folder / "pictures" / "lamp.pdf").write_bytes(pdf_of("A yellow lamp"))


@functools.cache
def _repository() -> Path:
    """The project as a repository with one commit, a change that is not committed, and a remote beside it."""
    folder = Path(tempfile.mkdtemp(prefix="tooldeck-sample-"))
    _write(folder)
    remote = ".remotes/lamp.git"
    (folder / ".gitignore").write_text(FILES[".gitignore"] + ".remotes/\n")
    for line in (
        "init --quiet --initial-branch=main --template=",
        "config user.name Sample",
        "config user.email sample@example.org",
        "add --all",
        "commit --quiet --message=Begin",
        f"init --quiet --bare --template= {remote}",
        f"remote add origin {remote}",
        "push --quiet --set-upstream origin main",
    ):
        env = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        subprocess.run(["git", *line.split()], cwd=folder, env=env, check=True, timeout=30)
    (folder / "notes" / "todo.txt").write_text(FILES["notes/todo.txt"] + "screw it in\n")
    return folder
