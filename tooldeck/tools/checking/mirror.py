"""A folder that looks like the project with other contents of some files, for checkers that read files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

__all__ = ["mirror"]

_LEFT_OUT = frozenset({".git", ".tooldeck"})


def mirror(root: Path, folder: Path, contents: Mapping[str, bytes | None]) -> None:
    """Make `folder`: links to all that `root` has, and these contents by path; None is no file at all."""
    folder.mkdir()
    inner: dict[str, dict[str, bytes | None]] = {}
    own: dict[str, bytes | None] = {}
    for path, data in contents.items():
        name, _, rest = path.partition("/")
        if rest:
            inner.setdefault(name, {})[rest] = data
        else:
            own[name] = data
    for name in os.listdir(root) if root.is_dir() else ():  # noqa: PTH208 - names alone
        if name not in inner and name not in own and name not in _LEFT_OUT:
            (folder / name).symlink_to(root / name)
    for name, data in own.items():
        if data is not None:
            (folder / name).write_bytes(data)
    for name, below in inner.items():
        mirror(root / name, folder / name, below)
