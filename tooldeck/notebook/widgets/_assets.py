"""Finds the front-end sources and puts each widget's module and style sheet together.

The sources are plain ES modules that import each other with ``import { … } from "./name.js";``. A widget is
served as one module, so the imported ones are put in front of it, each once and without their ``export``.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from tooldeck.core.errors import SetupError

__all__ = ["script", "style"]

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([a-z-]+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


def _folder() -> Path:
    """The folder of the sources: inside an installed package, else beside the package in a checkout."""
    package = Path(__file__).parents[2]
    for folder in (package / "_widgets", package.parent / "widgets"):
        if (folder / "kit.js").is_file():
            return folder
    raise SetupError(
        "The front-end sources of the widgets are missing from this installation; "
        "install it again with: pip install --force-reinstall tooldeck"
    )


@cache
def _source(file: str) -> str:
    return (_folder() / file).read_text(encoding="utf-8")


def _order(name: str, seen: list[str]) -> list[str]:
    """`name` after everything it imports, each module once."""
    for needed in _IMPORT.findall(_source(f"{name}.js")):
        if needed not in seen:
            _order(needed, seen)
    seen.append(name)
    return seen


@cache
def script(name: str) -> str:
    """The module of the widget `name` with everything it imports, as one self-contained ES module."""
    modules = [_IMPORT.sub("", _source(f"{module}.js")) for module in _order(name, [])]
    return "\n".join([*(_EXPORT.sub("", module) for module in modules[:-1]), modules[-1]])


@cache
def style(*names: str) -> str:
    """The style sheets of these names in order, after the shared one."""
    return "\n".join(_source(f"{name}.css") for name in ("kit", *names))
