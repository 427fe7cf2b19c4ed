"""Files in which other programs list their MCP servers.

Claude, Cursor, VS Code, Windsurf, Cline, Gemini, Copilot, Codex, opencode, Goose and the registry of servers
each have their own. Reading one starts nothing and approves nothing. Secrets are asked for when a server is
connected; they go to its environment or its headers and are written nowhere.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from tooldeck.core.errors import DefinitionError
from tooldeck.core.strangers import file_fault
from tooldeck.guards.documents import modest, read_yaml
from tooldeck.mcp.foreign import familiar
from tooldeck.mcp.jsonc import read_jsonc
from tooldeck.mcp.places import Asked, Wanted, filled, wanted_in
from tooldeck.mcp.target import Command, Url, read_target

__all__ = ["ServerConfig", "read_config"]

_IGNORED = ("autoApprove", "alwaysAllow", "trust", "oauth", "sandbox", "dev")
# Members that would approve, or need what is not here; said to be left out.


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """One server of a file, with its placeholders still in it."""

    name: str
    command: tuple[str, ...] = ()
    """The program and its arguments; empty for a URL."""
    url: str = ""
    transport: str = "auto"
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    folder: str = ""
    wants: tuple[Wanted, ...] = ()
    """What a person, or the environment, has to give."""
    only: tuple[str, ...] | None = None
    """The only tools that are wanted, or None for all."""
    without: tuple[str, ...] = ()
    """Tools that are not wanted."""
    disabled: bool = False
    notes: tuple[str, ...] = ()
    """What of the file is not done."""

    @property
    def shown(self) -> str:
        """How it is reached, as the file has it."""
        return self.url or " ".join(self.command)

    def ready(self, ask: Asked, folder: str = ".") -> dict[str, Any]:
        """The options of ``deck.mcp.connect``, placeholders filled: by the environment, or by `ask`.

        `folder` is what the file calls its workspace. Raises `DefinitionError` for what cannot be filled.
        """
        given = filled(self.wants, ask, folder)
        options: dict[str, Any] = {
            "label": label_of(self.name),
            "unseen": True,
            "only": self.only,
            "without": self.without,
        }
        if self.url:
            options |= {"target": self._address(given(self.url)), "transport": self.transport}
            options["headers"] = {key: given(value) for key, value in self.headers.items()}
        else:
            words = tuple(given(word) for word in self.command)
            if not words or not words[0].strip():
                raise DefinitionError(f"The server {self.name!r} names neither a program nor a URL.")
            # What was filled in may be a secret, and commands are shown in many places.
            shown = "" if words == self.command else shlex.join(self.command)
            options["target"] = Command(words, shown)
            options["env"] = {key: given(value) for key, value in self.env.items()}
            options["cwd"] = given(self.folder) or None
        return options

    def _address(self, url: str) -> Url:
        """Raises `DefinitionError` for what is none: a command must not come out of what is called a URL."""
        found = read_target(url) if url.strip() else None
        if not isinstance(found, Url):
            raise DefinitionError(f"The server {self.name!r} is said to be at {self.url!r}, which is no URL.")
        return found.filled_from(self.url)


def label_of(name: str) -> str:
    """A label that begins names of tools, out of any name."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:32] or "server"


def read_config(path: str | Path) -> list[ServerConfig]:
    """The servers that a file lists. Raises `DefinitionError` naming the file and what is wrong with it."""
    file = Path(path).expanduser()
    try:
        text = file.read_text(encoding="utf-8-sig")
        root = _parsed(text, file.suffix.lower())
    except (OSError, ValueError) as error:
        raise DefinitionError(f"The file {str(path)!r} cannot be read: {file_fault(error)}.") from None
    root = familiar(cast("dict[str, Any]", root), Path.cwd()) if isinstance(root, dict) else {}
    entries = dict(_entries(root))
    if not entries:
        raise DefinitionError(f"The file {str(path)!r} lists no MCP servers that tooldeck understands.")
    inputs = {str(one.get("id")): one for one in _inputs(root) if isinstance(one, dict)}
    return [_read(name, entry, inputs, str(path)) for name, entry in entries.items()]


def _parsed(text: str, suffix: str) -> Any:
    """Raises ValueError."""
    if suffix in {".yaml", ".yml"}:
        return read_yaml(text)
    try:
        return modest(tomllib.loads(text) if suffix == ".toml" else read_jsonc(text))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _entries(root: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The servers, wherever the program that wrote the file keeps them."""
    inner = root.get("mcp")
    places = [root.get("mcpServers"), root.get("servers"), root.get("mcp_servers"), inner]
    if isinstance(inner, dict):
        places.append(cast("dict[str, Any]", inner).get("servers"))
    for place in places:
        if isinstance(place, dict):
            for name, entry in cast("dict[str, Any]", place).items():
                if isinstance(entry, dict) and {"command", "url", "httpUrl", "serverUrl"} & entry.keys():
                    yield name, entry


def _inputs(root: dict[str, Any]) -> list[Any]:
    inner = root.get("mcp")
    found = root.get("inputs") or (inner.get("inputs") if isinstance(inner, dict) else None)
    return cast("list[Any]", found) if isinstance(found, list) else []


def _read(name: str, entry: dict[str, Any], inputs: Mapping[Any, Any], path: str) -> ServerConfig:
    command = tuple(map(_with_dollar, _command(name, entry, path)))
    url = next((entry[key] for key in ("httpUrl", "serverUrl", "url") if isinstance(entry.get(key), str)), "")
    env = {**_env_file(entry, path), **_texts(entry.get("env")), **_texts(entry.get("environment"))}
    headers = {**_texts(entry.get("headers")), **_texts(entry.get("http_headers"))}
    for header, variable in _texts(entry.get("env_http_headers")).items():
        headers[header] = f"${{env:{variable}}}"
    for variable in _names(entry.get("env_vars")) or ():
        env.setdefault(variable, f"${{env:{variable}}}")
    if isinstance(entry.get("bearer_token_env_var"), str):
        headers["Authorization"] = f"Bearer ${{env:{entry['bearer_token_env_var']}}}"
    kind = str(entry.get("type", "")).lower()
    folder = entry.get("cwd") if isinstance(entry.get("cwd"), str) else ""
    texts = [*command, _with_dollar(url), *env.values(), *headers.values(), str(folder)]
    return ServerConfig(
        name,
        () if url and not command else command,
        "" if command else _with_dollar(url),
        kind if kind in ("sse", "http") else "auto",
        env,
        headers,
        str(folder),
        tuple(wanted_in(texts, inputs)),
        _names(_first(entry, "includeTools", "enabled_tools", "tools")),
        _names(_first(entry, "excludeTools", "disabled_tools")) or (),
        entry.get("disabled") is True or entry.get("enabled") is False,
        tuple(f"{key} is not taken over" for key in _IGNORED if key in entry),
    )


def _command(name: str, entry: dict[str, Any], path: str) -> tuple[str, ...]:
    given = entry.get("command")
    words = [given] if isinstance(given, str) else given
    if words is None:
        return ()
    more = entry.get("args", [])
    if not all(isinstance(one, list) and all(isinstance(w, str) for w in one) for one in (words, more)):
        raise DefinitionError(f"The server {name!r} of {path!r} has a command that is no list of words.")
    return (*cast("list[str]", words), *cast("list[str]", more))


def _env_file(entry: dict[str, Any], path: str) -> dict[str, str]:
    """The lines ``NAME=value`` of the file that an entry names."""
    given = entry.get("envFile")
    if not isinstance(given, str):
        return {}
    file = Path(given.replace("${workspaceFolder}", ".")).expanduser()
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        why = file_fault(error)
        raise DefinitionError(f"{path!r} names {given!r}, which cannot be read: {why}.") from None
    pairs = [line.partition("=") for line in lines if "=" in line and not line.lstrip().startswith("#")]
    return {key.strip().removeprefix("export "): value.strip().strip("\"'") for key, _, value in pairs}


def _texts(given: Any) -> dict[str, str]:
    """Texts by name, placeholders as most programs write them; opencode leaves the dollar out."""
    found = cast("dict[Any, Any]", given).items() if isinstance(given, dict) else ()
    return {str(key): _usual(value) for key, value in found if value is not None}


def _usual(value: Any) -> str:
    """As most programs write it: opencode leaves the dollar of a placeholder out, Gemini its braces."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return re.sub(r"^\$([A-Za-z_]\w*)$", r"${\1}", _with_dollar(text))


def _with_dollar(text: str) -> str:
    return re.sub(r"(?<!\$)\{env:(\w+)\}", r"${env:\1}", text)


def _first(entry: Mapping[str, Any], *keys: str) -> Any:
    """The first of these members that is there; an empty list is one."""
    return next((entry[key] for key in keys if entry.get(key) is not None), None)


def _names(given: Any) -> tuple[str, ...] | None:
    if not isinstance(given, list) or given == ["*"]:
        return None
    return tuple(str(name) for name in cast("list[Any]", given))
