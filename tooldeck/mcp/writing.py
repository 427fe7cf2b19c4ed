"""Connected servers as lists that other programs read, with placeholders for values of variables and headers.

No secret is written: which values are secret is not known here, so that none of them is.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tooldeck.core.errors import DefinitionError
from tooldeck.core.vocabulary import nearest
from tooldeck.mcp.target import Command, Url
from tooldeck.store.masking import names_secret, scrub

if TYPE_CHECKING:
    from tooldeck.mcp.connection import Connection

__all__ = ["PROGRAMS", "config_text"]

PROGRAMS = {
    "claude": "${%s}",
    "cursor": "${env:%s}",
    "vscode": "${input:%s}",
    "windsurf": "${env:%s}",
    "gemini": "${%s}",
    "copilot": "${%s}",
    "codex": "${%s}",
    "opencode": "{env:%s}",
}
"""By program: how it writes what the environment, or a person, has to give."""

Entry = dict[str, Any]


def config_text(connections: Iterable[Connection], program: str = "claude") -> str:
    """The file of a program that lists these servers.

    Raises `DefinitionError` for a program that is not known, and for a server object of this process.
    """
    if program not in PROGRAMS:
        close = nearest(program, PROGRAMS, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(PROGRAMS)}."
        raise DefinitionError(f"Lists of servers for {program!r} are not known; {hint}")
    found = {made.label: _Server(made) for made in connections}
    if program == "codex":
        return "\n".join(one.toml(label) for label, one in found.items())
    entries = {label: one.entry(program) for label, one in found.items()}
    whole: Entry = {_MEMBERS.get(program, "mcpServers"): entries}
    if program == "vscode":
        asked = dict.fromkeys(name for one in found.values() for name in one.wanted)
        whole["inputs"] = [
            {"type": "promptString", "id": name, "description": name, "password": True} for name in asked
        ]
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


_MEMBERS = {"vscode": "servers", "opencode": "mcp"}
_GAP = re.compile(r"\$\{(?:input:|env:)?([A-Za-z_][\w-]*)(?::-[^{}]*)?\}")


_SCHEMES = re.compile(r"\b(?:Bearer|Basic|Token)\s+$", re.IGNORECASE)
_PAIRS = re.compile(r"""([A-Za-z][\w-]*)["']?\s*[:=]\s*["']?[^\s&"']""")


class _Server:
    """What a list has to say of one server, with gaps ``${NAME}`` in it."""

    def __init__(self, made: Connection) -> None:
        target = made.session.target
        self.prefix = _variable(made.label)
        self.words: list[str] = []
        self.url = ""
        self.transport = made.session.transport
        self.env = sorted(made.given_env)
        self.headers: dict[str, str] = {}
        self.folder = ""
        if isinstance(target, Command):
            self.words = self._without_secrets(shlex.split(target.shown) or list(target.words))
            folder = str(made.launch["folder"]) if made.launch else "."
            self.folder = "" if folder == "." else folder
        elif isinstance(target, Url):
            url = target.shown or target.url
            self.url = f"${{{self.prefix}_URL}}" if url.endswith("/…") or _has_secret(url) else url
            self.headers = {name: f"{self.prefix}_{_variable(name)}" for name in made.session.headers}
        else:
            raise DefinitionError(
                f"{made.label!r} is an object of this process, which no other program reaches."
            )

    def _without_secrets(self, words: list[str]) -> list[str]:
        found: list[str] = []
        for number, word in enumerate(words):
            option = words[number - 1] if number else ""
            named = option.startswith("-") and names_secret(option.lstrip("-"))
            given = _GAP.sub("", word)
            hidden = _has_secret(word) or (named and given and not word.startswith("-"))
            found.append(f"${{{self.prefix}_ARGUMENT_{number}}}" if hidden else word)
        return found

    @property
    def wanted(self) -> list[str]:
        """The names of all that has to be given."""
        gaps = [gap for text in [*self.words, self.url] for gap in _GAP.findall(text)]
        return [*gaps, *self.env, *self.headers.values()]

    def entry(self, program: str) -> Entry:
        """As a member of a JSON file."""
        shape = PROGRAMS[program]
        words = [_GAP.sub(lambda gap: shape % gap[1], word) for word in self.words]
        if self.url:
            url = _GAP.sub(lambda gap: shape % gap[1], self.url)
            return _remote(
                program, self.transport, url, {key: shape % name for key, name in self.headers.items()}
            )
        env = {name: shape % name for name in self.env}
        if program == "opencode":
            return {"type": "local", "command": words, **_some(environment=env)}
        kind = {"type": "stdio"} if program in {"claude", "vscode"} else {}
        return {**kind, "command": words[0], "args": words[1:], **_some(env=env, cwd=self.folder)}

    def toml(self, label: str) -> str:
        """As a table of Codex, which names variables instead of having placeholders."""
        known: Mapping[str, Any] = (
            _some(url=self.url, env_http_headers=self.headers)
            if self.url
            else {
                "command": self.words[0],
                "args": self.words[1:],
                **_some(env_vars=self.env, cwd=self.folder),
            }
        )
        return "".join(
            [f"[mcp_servers.{label}]\n", *(f"{key} = {_toml(one)}\n" for key, one in known.items())]
        )


def _remote(program: str, transport: str, url: str, headers: Mapping[str, str]) -> Entry:
    key = {"windsurf": "serverUrl", "gemini": "url" if transport == "sse" else "httpUrl"}.get(program, "url")
    kind = {"opencode": "remote", "windsurf": "", "gemini": "", "cursor": ""}.get(program, transport)
    return {**_some(type=kind), key: url, **_some(headers=dict(headers))}


def _has_secret(text: str) -> bool:
    """Whether what stands in a text beside its gaps is a secret, also as ``Name: value`` within a word."""
    given = _SCHEMES.sub("", _GAP.sub("", text))
    pairs = any(names_secret(pair[1]) for pair in _PAIRS.finditer(given))
    return pairs or scrub(given) != given


def _variable(name: str) -> str:
    """The name of a variable out of any name."""
    return re.sub(r"\W", "_", name, flags=re.ASCII).upper()


def _some(**members: Any) -> Entry:
    return {key: value for key, value in members.items() if value}


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{json.dumps(key)} = {json.dumps(one)}' for key, one in value.items())} }}"
    return json.dumps(value)  # texts and lists of texts are the same in both
