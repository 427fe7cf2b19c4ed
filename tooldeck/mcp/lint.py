"""Looks at the words of a server's tools for what is meant to mislead a model or a person; needs no network.

Every text of a definition is read, names of parameters, enumerations, defaults and unknown members included.
A finding is a reason to look, no proof: the severity says how rarely an honest tool has such a thing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from tooldeck.guards.phrases import ORDER, SENSITIVE_PARAMETERS
from tooldeck.guards.suspicion import ADDRESS, EXCERPT, Severity, around, hidden, host_in, misleading
from tooldeck.guards.text import one_line

__all__ = ["Finding", "Severity", "gravest_first", "lint", "lint_entry", "lint_words", "orders", "shadowing"]

_MOST = 50_000
# Characters of one definition that are searched; the longest honest one has a tenth of that.
_SHORTEST = 5
# Characters of a name that is more than an ordinary word.
_DEEPEST = 40
# Levels of a definition that are read.
_IDENTIFIERS = {"$schema", "$id"}
# Members whose addresses are names and lead nowhere.


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a definition that a person should look at."""

    severity: Severity
    tool: str
    """The server's name of the tool or the prompt, or the address of the resource."""
    where: str
    """The way to the text, as in ``inputSchema.properties.a.description``."""
    what: str
    """What was found, in our words."""
    excerpt: str = ""
    """The text around it, with nothing hidden."""

    def __str__(self) -> str:
        quoted = f": “{self.excerpt}”" if self.excerpt else ""
        return f"{self.severity}: {one_line(self.tool)}, {one_line(self.where)}: {self.what}{quoted}"


def lint(definition: Mapping[str, Any]) -> list[Finding]:
    """What is suspicious in the definition of a tool by itself, the gravest first."""
    tool = str(definition.get("name", ""))
    found, size = _in_texts(tool, _texts("", definition, _DEEPEST))
    if size > _MOST:
        found.append(_too_long(tool, size))
    found += _name(tool)
    found += _addresses(tool, definition)
    found += _parameters(tool, definition)
    return gravest_first(found)


def lint_entry(name: str, definition: Mapping[str, Any]) -> list[Finding]:
    """The same for a prompt, a resource or a template as it is listed, under the name that it goes by."""
    own = ("uri", "uriTemplate")
    found, size = _in_texts(name, _texts("", definition, _DEEPEST))
    if size > _MOST:
        found.append(_too_long(name, size))
    found += _name(name)
    found += _addresses(name, {word: told for word, told in definition.items() if word not in own})
    return gravest_first(found)


def lint_words(name: str, texts: Iterable[tuple[str, str]]) -> list[Finding]:
    """What is suspicious in texts that a server gave, each with where it stands, the gravest first.

    Of all of them together the first 50,000 characters are searched for phrases, everything for what is
    hidden: unlike a definition, such a text may honestly be long.
    """
    return gravest_first(_in_texts(name, texts)[0])


def _too_long(name: str, size: int) -> Finding:
    said = f"its texts have {size} characters, of which {_MOST} were read"
    return Finding(Severity.DANGER, name, "it", said)


def _in_texts(name: str, texts: Iterable[tuple[str, str]]) -> tuple[list[Finding], int]:
    """The findings of texts one by one, and their characters in all."""
    found: list[Finding] = []
    size = 0
    for where, text in texts:
        read, size = text[: max(0, _MOST - size)], size + len(text)
        found += [Finding(severity, name, where, what, quoted) for severity, what, quoted in misleading(read)]
        found += [Finding(Severity.DANGER, name, where, *one) for one in hidden(text)]
    return found, size


def gravest_first(found: Iterable[Finding]) -> list[Finding]:
    """Findings without doubles, in the order of their severity."""
    order = list(Severity)
    return sorted(dict.fromkeys(found), key=lambda one: order.index(one.severity))


def shadowing(definition: Mapping[str, Any], others: Mapping[str, str]) -> Iterator[Finding]:
    """What a definition has to do with other servers: `others` has whose each of their tools is, by name."""
    tool = str(definition.get("name", ""))
    twin, near = others.get(tool), {_folded(other): other for other in others}.get(_folded(tool))
    if twin is not None:
        yield Finding(Severity.INFO, tool, "name", f"the server {twin!r} has a tool of this name")
    elif near is not None:
        what = f"nearly the name of {near!r} of the server {others[near]!r}"
        yield Finding(Severity.WARNING, tool, "name", what)
    texts = [(where, text) for where, text in _texts("", definition, _DEEPEST) if len(text) > _SHORTEST]
    whole = "\n".join(text for _, text in texts)
    for other in [name for name in others if name != tool and len(name) >= _SHORTEST and name in whole]:
        for where, text in texts:
            if _names(text, other):
                what = f"it speaks of {other!r}, a tool of the server {others[other]!r}"
                place = text.find(other)
                yield Finding(Severity.WARNING, tool, where, what, around(text, place, place + len(other)))


def orders(definition: Mapping[str, Any], own: Collection[str]) -> Iterator[Finding]:
    """Where a definition orders the use of a tool that its server does not have; `own` are those it has."""
    tool, known = str(definition.get("name", "")), {_folded(name) for name in own}
    for where, text in _texts("", definition, _DEEPEST):
        for found in ORDER.finditer(text[:_MOST]):
            other = found["quoted"] or found["name"] or found["used"]
            if _folded(other) not in known:
                what = f"an order to use {one_line(other)!r}, which is no tool of this server"
                yield Finding(Severity.WARNING, tool, where, what, around(text, *found.span()))


def _texts(path: str, value: Any, depth: int) -> Iterator[tuple[str, str]]:
    """Every text in a definition, keys as well, with the way to it."""
    if isinstance(value, str):
        yield path or "it", value
    elif depth and isinstance(value, Mapping):
        for key, inner in cast("Mapping[str, Any]", value).items():
            if key in _IDENTIFIERS:
                continue
            here = f"{path}.{key}" if path else key
            yield f"the name {one_line(here)}", key
            yield from _texts(here, inner, depth - 1)
    elif depth and isinstance(value, list):
        for index, inner in enumerate(cast("list[Any]", value)):
            yield from _texts(f"{path}[{index}]", inner, depth - 1)


# -- addresses


def _addresses(tool: str, definition: Mapping[str, Any]) -> Iterator[Finding]:
    """One finding for all the hosts that a tool names."""
    hosts = {
        host_in(address) for _, text in _texts("", definition, _DEEPEST) for address in ADDRESS.findall(text)
    }
    if hosts:
        shown = ", ".join(one_line(host) for host in sorted(hosts))
        yield Finding(Severity.INFO, tool, "addresses", "it names addresses", shown[:EXCERPT])


# -- parameters and names


def _parameters(tool: str, definition: Mapping[str, Any]) -> Iterator[Finding]:
    schema = definition.get("inputSchema")
    properties = cast("dict[str, Any]", schema).get("properties") if isinstance(schema, dict) else None
    for name, inner in cast("dict[str, Any]", properties).items() if isinstance(properties, dict) else ():
        if _folded(name) in SENSITIVE_PARAMETERS:
            about = cast("dict[str, Any]", inner).get("description") if isinstance(inner, dict) else ""
            what = "a parameter that may carry more than the tool needs"
            yield Finding(
                Severity.INFO,
                tool,
                f"inputSchema.properties.{name}",
                what,
                one_line(str(about or ""))[:EXCERPT],
            )


def _name(tool: str) -> Iterator[Finding]:
    if any(char.isascii() and char.isalpha() for char in tool) and not tool.isascii():
        shown = tool.encode("unicode_escape").decode()[:EXCERPT]
        yield Finding(Severity.DANGER, tool, "name", "letters that may pass for others", shown)


def _names(text: str, other: str) -> bool:
    """Whether a text speaks of a tool, and not just uses a word that is its name too."""
    quoted = re.escape(other)
    pattern = (
        rf"(?<![\w-]){quoted}(?![\w-])"
        if re.search(r"[_\d-]|[a-z][A-Z]", other)
        else rf"[`'\"]{quoted}[`'\"]"
    )
    return re.search(pattern, text) is not None


def _folded(name: str) -> str:
    """A name without what the eye skips: case, dashes, accents, ``1`` for ``l``, ``0`` for ``o``."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    return re.sub(r"[^a-z0-9]", "", plain).replace("1", "l").replace("0", "o")
