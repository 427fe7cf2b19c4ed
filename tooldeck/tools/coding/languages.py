"""The programming languages that `code` knows, by the endings of file names, and the parser they share."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal

from tooldeck.core.errors import ExpectedError, SetupError

if TYPE_CHECKING:
    from ast_grep_py import SgNode

__all__ = ["LANGUAGES", "MOST_CHARS", "Language", "language_of", "tree_of", "trees_missing"]

MOST_CHARS = 2_000_000
"""Longer texts are not parsed."""
_ENDINGS = {
    "bash": "sh bash",
    "c": "c",
    "cpp": "cc cpp cxx h hh hpp hxx",
    "csharp": "cs",
    "go": "go",
    "java": "java",
    "javascript": "js cjs mjs jsx",
    "kotlin": "kt kts",
    "lua": "lua",
    "php": "php",
    "python": "py pyi",
    "ruby": "rb",
    "rust": "rs",
    "scala": "scala",
    "swift": "swift",
    "tsx": "tsx",
    "typescript": "ts cts mts",
}
Language = Literal[
    "bash", "c", "cpp", "csharp", "go", "java", "javascript", "kotlin", "lua", "php", "python", "ruby",
    "rust", "scala", "swift", "tsx", "typescript",
]  # fmt: skip
LANGUAGES = tuple(_ENDINGS)
"""Their names, as ast-grep has them."""
_BY_ENDING = {f".{ending}": name for name, endings in _ENDINGS.items() for ending in endings.split()}


def language_of(path: str) -> str | None:
    """The language of a file by its name, ``python`` for a notebook; None for a file of another kind."""
    ending = PurePosixPath(path).suffix.casefold()
    return "python" if ending == ".ipynb" else _BY_ENDING.get(ending)


def tree_of(text: str, language: str) -> SgNode:
    """The syntax tree of a text. Raises `SetupError` without ast-grep, `ExpectedError` for a huge text."""
    if len(text) > MOST_CHARS:
        raise ExpectedError(f"{len(text)} characters are more than are parsed ({MOST_CHARS}).")
    try:
        from ast_grep_py import SgRoot
    except ImportError:
        raise SetupError(trees_missing(language)) from None
    return SgRoot(text, language).root()


def trees_missing(what: str) -> str:
    """The sentence for a parser that is not installed."""
    return f"Reading {what} needs ast-grep, which is missing; install it with: pip install 'tooldeck[code]'"
