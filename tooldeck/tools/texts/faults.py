"""Whether a text is of its language: what nobody should be able to break by an edit without being told."""

from __future__ import annotations

import json
import tomllib

from tooldeck.core.errors import ExpectedError, SetupError
from tooldeck.tools.coding.languages import language_of
from tooldeck.tools.coding.python_symbols import parsed
from tooldeck.tools.coding.tree_symbols import tree_faults
from tooldeck.tools.texts.documents import decode

__all__ = ["fault", "fault_of_code", "worse"]

_MOST = 200


def fault_of_code(text: str, language: str, *, cell: bool = False) -> str:
    """What is wrong with a piece of code, in words; empty where it parses, or nothing here can tell."""
    try:
        if language == "python":
            parsed(text, cell=cell)
            return ""
        return next(iter(tree_faults(text, language)), "")
    except SyntaxError as error:
        return _short(f"line {error.lineno}: {error.msg}" if error.lineno else str(error.msg))
    except (ValueError, RecursionError, MemoryError) as error:
        return _short(str(error) or "it is nested too deeply")
    except (SetupError, ExpectedError):
        return ""


def worse(before: str, after: str, language: str, *, cell: bool = False) -> str:
    """What an edit breaks, in words; empty where nothing does.

    In a text that did not parse before, such as one full of macros, that is a place more that does not.
    """
    wrong = fault_of_code(after, language, cell=cell)
    if not wrong or not fault_of_code(before, language, cell=cell):
        return wrong
    if language == "python":
        return ""
    old, new = tree_faults(before, language), tree_faults(after, language)
    return new[0] if len(new) > len(old) else ""


def fault(path: str, data: bytes) -> str:
    """What is wrong with the bytes of a file of a known kind, in words; empty where nothing is."""
    language = language_of(path)
    try:
        text = decode(data, path).text
        if path.casefold().endswith((".json", ".ipynb")):
            return "" if not text else _read(text)
        if path.casefold().endswith(".toml"):
            tomllib.loads(text)
    except (ValueError, ExpectedError, RecursionError) as error:
        return _short(str(error))
    return "" if language is None else fault_of_code(text, language)


def _read(text: str) -> str:
    json.loads(text)
    return ""


def _short(words: str) -> str:
    return " ".join(words.split())[:_MOST]
