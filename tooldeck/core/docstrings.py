"""Docstrings of functions: the description without its sections, and one text per parameter.

Reads the Google, NumPy and Sphinx styles. A docstring in none of them is all description.
"""

from __future__ import annotations

import inspect
import re
from typing import NamedTuple

__all__ = ["Docstring", "parse_docstring"]

_GOOGLE_PARAMS = {
    "args",
    "arguments",
    "parameters",
    "params",
    "keyword args",
    "keyword arguments",
    "other parameters",
}
_SECTIONS = _GOOGLE_PARAMS | {
    "attributes", "example", "examples", "except", "exceptions", "methods", "note", "notes", "raise",
    "raises", "receives", "references", "return", "returns", "see also", "todo", "warnings", "warns",
    "yield", "yields",
}  # fmt: skip
_SPHINX = re.compile(r"^:(\w+)(?:\s+([^:]*?))?:(?:\s+(.*)|$)")
_GOOGLE_ITEM = re.compile(r"^\*{0,2}(\w+)\s*(?:\(.*?\))?\s*:(?:\s+(.*)|$)")
_NUMPY_ITEM = re.compile(r"^(\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::.*)?$")


class Docstring(NamedTuple):
    """A docstring taken apart."""

    description: str
    params: dict[str, str]


def parse_docstring(text: str | None) -> Docstring:
    """Take `text` apart; None or blank gives an empty description."""
    lines = _dedented(text or "")
    description: list[str] = []
    params: dict[str, str] = {}
    index = 0
    while index < len(lines):
        section, body_at = _section_at(lines, index)
        if section is None:
            description.append(lines[index])
            index += 1
            continue
        end = _section_end(lines, index, body_at, section)
        if section == ":":
            params.update(_sphinx(lines[index:end]))
        elif section.removeprefix("=") in _GOOGLE_PARAMS:
            read = _numpy if section.startswith("=") else _google
            params.update(read(lines[body_at:end]))
        index = end
    return Docstring("\n".join(description).strip(), params)


def _dedented(text: str) -> list[str]:
    """The lines without the margin of the source.

    Where the docstring begins with a section, its body may be all there is to take the margin from.
    """
    lines = inspect.cleandoc(text).splitlines()
    titled = bool(lines) and lines[0].casefold().removesuffix(":") in _SECTIONS and lines[0].endswith(":")
    if titled and len(lines) > 1 and not lines[1].startswith((" ", "\t")):
        return [lines[0], *(f"    {line}" for line in lines[1:])]
    return lines


def _section_at(lines: list[str], index: int) -> tuple[str | None, int]:
    """The section that starts on a line and where its body starts.

    ``:`` is Sphinx, ``=name`` NumPy, ``name`` Google, None no section.
    """
    line = lines[index]
    if _SPHINX.match(line) and line.split(":")[1].split()[0] in _SPHINX_WORDS:
        return ":", index
    title = line.strip().casefold()
    if title in _SECTIONS and index + 1 < len(lines) and re.fullmatch(r"\s*-{3,}\s*", lines[index + 1]):
        return f"={title}", index + 2
    if line == line.lstrip() and title.endswith(":") and title[:-1] in _SECTIONS:
        following = next((later for later in lines[index + 1 :] if later.strip()), "")
        if following.startswith((" ", "\t")):
            return title[:-1], index + 1
    return None, index


_SPHINX_WORDS = {
    "param", "parameter", "arg", "argument", "key", "keyword", "type", "returns", "return", "rtype", "raises",
    "raise", "except", "exception", "yields", "yield", "ytype", "var", "ivar", "cvar", "vartype", "meta",
}  # fmt: skip


def _section_end(lines: list[str], index: int, body_at: int, section: str) -> int:
    """Where the section ends: at the next one, or for Google and Sphinx at the first line of other text."""
    for at in range(max(body_at, index + 1), len(lines)):
        line = lines[at]
        unindented = bool(line.strip()) and not line.startswith((" ", "\t"))
        if section == ":":
            if unindented and not _SPHINX.match(line):
                return at
        elif _section_at(lines, at)[0] is not None or (unindented and not section.startswith("=")):
            return at
    return len(lines)


def _sphinx(lines: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    name = ""
    for line in lines:
        match = _SPHINX.match(line)
        if match:
            words = (match[2] or "").split()
            name = (
                words[-1].lstrip("*")
                if match[1] in {"param", "parameter", "arg", "argument", "key", "keyword"} and words
                else ""
            )
            if name:
                found[name] = match[3] or ""
        elif name and line.strip():
            found[name] = f"{found[name]} {line.strip()}".strip()
    return found


def _google(lines: list[str]) -> dict[str, str]:
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    found: dict[str, str] = {}
    name = ""
    for line in lines:
        indent = len(line) - len(line.lstrip())
        match = _GOOGLE_ITEM.match(line.strip()) if indent == margin else None
        if match:
            name = match[1]
            found[name] = match[2] or ""
        elif name and line.strip():
            found[name] = f"{found[name]} {line.strip()}".strip()
    return found


def _numpy(lines: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    names: list[str] = []
    for line in lines:
        match = _NUMPY_ITEM.match(line)
        if match and not line.startswith((" ", "\t")):
            names = [name.strip().lstrip("*") for name in match[1].split(",")]
            found.update(dict.fromkeys(names, ""))
        elif line.strip():
            for name in names:
                found[name] = f"{found[name]} {line.strip()}".strip()
    return found
