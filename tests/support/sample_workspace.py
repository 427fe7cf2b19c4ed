"""A small project in a fresh folder: what the examples of the built-in tools speak of.

A tool that is added may need more in it: put it here, and never change what other examples rely on.
"""

from __future__ import annotations

from pathlib import Path

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
    for path, text in FILES.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="")
    return folder
